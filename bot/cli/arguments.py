"""What can be typed behind `claude-discord`."""

import argparse
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")
SERVICES = ("systemd", "launchd")
DESCRIPTION = "Run Claude Code on your machine; give it work and approve what it does from Discord."
STATUS = """\
exit status: 0 done; 1 it was tried and did not work out; 2 the command or the set-up is wrong; 3 no bot is running.
Without a command the bot is started."""


def parser() -> argparse.ArgumentParser:
    """Build the parser; `verb` is None when the bot is simply to run."""
    top = argparse.ArgumentParser(
        prog="claude-discord",
        description=DESCRIPTION,
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _for_running(top, suppressed=False)
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    _for_running(verbs.add_parser("run", help="start the bot (the default)"), suppressed=True)
    _sandbox(verbs.add_parser("sandbox", help="try it in the browser, with no account"))
    _init(verbs.add_parser("init", help="set everything up, from the bot's token to the first message"))
    _doctor(verbs.add_parser("doctor", help="say what is wrong with this set-up, and the cure"))
    _say(verbs.add_parser("say", help="give Claude a prompt in a new thread of a project"))
    _asking(verbs.add_parser("sessions", help="what runs, what waits for you, what is asleep"))
    _stop(verbs.add_parser("stop", help="interrupt a session, or all of a project; again: end its process"))
    _audit(verbs.add_parser("audit", help="who asked for what, and who decided"))
    _reload(verbs.add_parser("reload", help="take over what a changed configuration would loosen"))
    _asking(verbs.add_parser("restart", help="start the bot anew, after an update; Claude's turns go on"))
    _service(verbs.add_parser("service", help="have the bot started with the machine"))
    completion = verbs.add_parser("completion", help="print what a shell needs to complete these commands")
    completion.add_argument("shell", choices=SHELLS)
    complete = verbs.add_parser("complete")  # for the scripts that `completion` prints
    complete.add_argument("words", nargs=argparse.REMAINDER)
    return top


def _config(parser: argparse.ArgumentParser, *, suppressed: bool = True) -> None:
    # Behind the verb the defaults are left out: they would replace what was given before it.
    default = argparse.SUPPRESS if suppressed else None
    parser.add_argument(
        "--config",
        type=Path,
        default=default,
        metavar="FILE",
        help="the configuration, instead of ./claude-discord.toml or the user's",
    )


def _for_running(parser: argparse.ArgumentParser, *, suppressed: bool) -> None:
    _config(parser, suppressed=suppressed)
    nothing = argparse.SUPPRESS if suppressed else None
    off = argparse.SUPPRESS if suppressed else False
    parser.add_argument(
        "--port", type=_port, default=nothing, help="the port of the endpoint on loopback; any free one by default"
    )
    parser.add_argument("--verbose", action="store_true", default=off, help="say more on stderr")
    parser.add_argument("--json", action="store_true", default=off, help="write the log as JSON, one object a line")
    parser.add_argument("--check", action="store_true", default=off, help="check the configuration, start nothing")


def _asking(parser: argparse.ArgumentParser) -> None:
    _config(parser)
    parser.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="write JSON for a program to read"
    )


def _sandbox(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, help="the project; a small sample by default")
    parser.add_argument("--scripted", action="store_true", help="a script talks, even where claude could")
    parser.add_argument("--no-open", action="store_true", help="print the address, open no browser")
    parser.add_argument(
        "--port", type=_port, default=argparse.SUPPRESS, help="the page's port; any free one by default"
    )
    parser.add_argument("--config", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--verbose", action="store_true", default=argparse.SUPPRESS, help="say more on stderr")


def _init(parser: argparse.ArgumentParser) -> None:
    _asking(parser)
    parser.description = (
        "Asks what it needs and writes claude-discord.toml and .env. Everything can be given beforehand; "
        "the token is read from DISCORD_TOKEN, from standard input with --token-stdin, or asked for."
    )
    parser.add_argument("--token-stdin", action="store_true", help="read the bot's token from standard input")
    parser.add_argument("--folder", type=Path, help="where Claude works; this folder by default")
    parser.add_argument("--name", help="the project's name; the folder's by default")
    parser.add_argument("--user", type=int, metavar="ID", help="who may talk to Claude, instead of typing the code")
    parser.add_argument("--channel", type=int, metavar="ID", help="the project's channel, instead of typing the code")
    parser.add_argument("--wait", type=float, default=600.0, metavar="SECONDS", help="how long to wait for the code")
    parser.add_argument("--service", action=argparse.BooleanOptionalAction, help="install a service, or don't, unasked")
    parser.add_argument("--yes", action="store_true", help="answer every question of yes or no with yes")
    parser.add_argument("--api", metavar="URL", help=argparse.SUPPRESS)


def _doctor(parser: argparse.ArgumentParser) -> None:
    _asking(parser)


def _say(parser: argparse.ArgumentParser) -> None:
    _asking(parser)
    parser.add_argument("project", help="its name in the configuration")
    parser.add_argument("prompt", help="what Claude should do; - reads it from standard input")
    parser.add_argument("--wait", action="store_true", help="write the answer here as it comes")


def _stop(parser: argparse.ArgumentParser) -> None:
    _asking(parser)
    parser.add_argument("name", help="a session's number, its title or a part of it, or a project's name")


def _audit(parser: argparse.ArgumentParser) -> None:
    _asking(parser)
    parser.add_argument("--verify", action="store_true", help="check that nothing was changed or taken out")


def _reload(parser: argparse.ArgumentParser) -> None:
    _asking(parser)
    parser.description = (
        "A change of the configuration that loosens anything waits for an owner. Shows what would change, and asks."
    )
    parser.add_argument("--yes", action="store_true", help="take it over unasked")


def _service(parser: argparse.ArgumentParser) -> None:
    _asking(parser)
    parser.add_argument("action", nargs="?", choices=["show", "install", "remove"], default="show")
    parser.add_argument("--kind", choices=SERVICES, help="systemd or launchd; what this machine has by default")
    parser.add_argument("--yes", action="store_true", help="replace a unit that is there")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port; choose one from 0 (any free one) to 65535")
    return int(text)
