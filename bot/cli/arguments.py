"""The arguments of the command `claude-discord`."""

import argparse
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")
SERVICES = ("systemd", "launchd")
DESCRIPTION = "Run Claude Code on your machine; give it work and approve what it does from Discord."
STATUS = """\
exit status: 0 done; 1 it failed; 2 the command or the setup is wrong; 3 no bot is running.
Without a command, the bot starts."""


def parser() -> argparse.ArgumentParser:
    """Build the parser; `verb` is None if no command is given."""
    top = argparse.ArgumentParser(
        prog="claude-discord",
        description=DESCRIPTION,
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_run_options(top, suppressed=False)
    verbs = top.add_subparsers(dest="verb", metavar="COMMAND", title="commands")
    _add_run_options(verbs.add_parser("run", help="start the bot (the default)"), suppressed=True)
    _add_sandbox_options(verbs.add_parser("sandbox", help="try it in the browser, without a Discord account"))
    _add_init_options(verbs.add_parser("init", help="set everything up, from the bot's token to the first message"))
    _add_doctor_options(verbs.add_parser("doctor", help="check the setup and suggest fixes"))
    _add_say_options(verbs.add_parser("say", help="send Claude a prompt in a new thread of a project"))
    _add_client_options(
        verbs.add_parser("sessions", help="list what is working, what is waiting for you, and what is idle")
    )
    _add_stop_options(
        verbs.add_parser("stop", help="interrupt a session, or all of a project; use it again to end the process")
    )
    _add_audit_options(verbs.add_parser("audit", help="show who asked for what, and who decided"))
    _add_reload_options(verbs.add_parser("reload", help="approve configuration changes that grant more access"))
    _add_client_options(verbs.add_parser("restart", help="restart the bot after an update; Claude keeps working"))
    _add_service_options(verbs.add_parser("service", help="start the bot when the machine starts"))
    completion = verbs.add_parser("completion", help="print the completion script for a shell")
    completion.add_argument("shell", choices=SHELLS)
    complete = verbs.add_parser("complete")  # for the scripts that `completion` prints
    complete.add_argument("words", nargs=argparse.REMAINDER)
    return top


def _add_config_option(parser: argparse.ArgumentParser, *, suppressed: bool = True) -> None:
    # No defaults after the verb: they would replace the options given before it.
    default = argparse.SUPPRESS if suppressed else None
    parser.add_argument(
        "--config",
        type=Path,
        default=default,
        metavar="FILE",
        help="configuration file; default: ./claude-discord.toml, or the one in your configuration folder",
    )


def _add_run_options(parser: argparse.ArgumentParser, *, suppressed: bool) -> None:
    _add_config_option(parser, suppressed=suppressed)
    nothing = argparse.SUPPRESS if suppressed else None
    off = argparse.SUPPRESS if suppressed else False
    parser.add_argument(
        "--port", type=_port, default=nothing, help="port of the local endpoint on loopback; default: any free port"
    )
    parser.add_argument("--verbose", action="store_true", default=off, help="log more on stderr")
    parser.add_argument("--json", action="store_true", default=off, help="write the log as JSON, one object per line")
    parser.add_argument("--check", action="store_true", default=off, help="only check the configuration")


def _add_client_options(parser: argparse.ArgumentParser) -> None:
    _add_config_option(parser)
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def _add_sandbox_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", type=Path, help="project folder; default: a small sample project")
    parser.add_argument("--scripted", action="store_true", help="use scripted answers, even if claude is installed")
    parser.add_argument("--no-open", action="store_true", help="only print the address; don't open a browser")
    parser.add_argument(
        "--port", type=_port, default=argparse.SUPPRESS, help="port of the web page; default: any free port"
    )
    parser.add_argument("--config", type=Path, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--verbose", action="store_true", default=argparse.SUPPRESS, help="log more on stderr")


def _add_init_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)
    parser.description = (
        "Asks a few questions, then writes claude-discord.toml and .env. Every answer can be given as an option. "
        "The token is read from DISCORD_TOKEN, from standard input with --token-stdin, or asked for."
    )
    parser.add_argument("--token-stdin", action="store_true", help="read the bot's token from standard input")
    parser.add_argument("--folder", type=Path, help="folder that Claude works in; default: this folder")
    parser.add_argument("--name", help="name of the project; default: the name of its folder")
    parser.add_argument(
        "--user", type=int, metavar="ID", help="user who may talk to Claude, instead of pairing with a code"
    )
    parser.add_argument(
        "--channel", type=int, metavar="ID", help="channel of the project, instead of pairing with a code"
    )
    parser.add_argument(
        "--wait", type=float, default=600.0, metavar="SECONDS", help="how long to wait for the pairing code"
    )
    parser.add_argument(
        "--service",
        action=argparse.BooleanOptionalAction,
        help="install a service without asking; --no-service: don't install one",
    )
    parser.add_argument("--yes", action="store_true", help="answer yes to every question")
    parser.add_argument("--api", metavar="URL", help=argparse.SUPPRESS)


def _add_doctor_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)


def _add_say_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)
    parser.add_argument("project", help="name of the project in the configuration")
    parser.add_argument("prompt", help="what Claude should do; - reads the prompt from standard input")
    parser.add_argument("--wait", action="store_true", help="print the answer here as it comes")


def _add_stop_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)
    parser.add_argument("name", help="number of a session, its title or part of it, or the name of a project")


def _add_audit_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)
    parser.add_argument("--verify", action="store_true", help="check that no entry was changed or removed")


def _add_reload_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)
    parser.description = (
        "Configuration changes that grant more access need an owner's approval. Shows them and asks for it."
    )
    parser.add_argument("--yes", action="store_true", help="approve without asking")


def _add_service_options(parser: argparse.ArgumentParser) -> None:
    _add_client_options(parser)
    parser.add_argument("action", nargs="?", choices=["show", "install", "remove"], default="show")
    parser.add_argument("--kind", choices=SERVICES, help="systemd or launchd; default: the one that this machine has")
    parser.add_argument("--yes", action="store_true", help="replace an existing service file")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port; choose one from 0 (any free one) to 65535")
    return int(text)
