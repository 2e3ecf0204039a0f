"""What to know about one call of a program."""

from collections.abc import Callable, Iterator, Mapping

from bot.risk.calls import SHELLS, program, runs_stdin
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one
from bot.risk.shell import Call

DOWNLOADERS = frozenset({"curl", "wget", "fetch", "http", "https", "xh", "aria2c", "nc", "ncat", "lynx", "scp", "ftp"})
ELEVATORS = frozenset({"sudo", "doas", "su", "pkexec", "run0", "gosu", "setcap", "visudo", "usermod", "gpasswd"})
SOURCES = frozenset({"source", ".", "eval"})
LATER = frozenset({"crontab", "at", "batch", "launchctl"})  # what they are told runs when nobody looks
FILE_RUNNERS = SHELLS | SOURCES | {"python", "node", "perl", "ruby", "chmod"}
_SECRET_TELLERS: Mapping[str, tuple[str, ...]] = {
    "gh": ("auth token",),
    "gcloud": ("auth print-access-token", "auth print-identity-token"),
    "aws": ("configure get", "configure export-credentials", "secretsmanager get-secret-value"),
    "security": ("find-generic-password", "find-internet-password", "dump-keychain"),
    "pass": ("show",),
    "op": ("read", "item get"),
    "vault": ("kv get", "read"),
    "kubectl": ("get secret",),
    "git": ("credential",),
}


def about_call(call: Call) -> Iterator[Warning]:
    name, arguments = program(call), call.texts[1:]
    if call.words and (not call.words[0].known or set(call.texts[0]) & set("*?[]{}$`")):
        yield Warning(Kind.UNKNOWN, call.texts[0])
    for kind, concerns in _CHECKS:
        if concerns(name, arguments):
            yield Warning(kind, str(call))
    if name == "git":
        yield from (Warning(kind, str(call)) for kind in _about_git(*git(call)))
        if any(text in ("-c", "--exec-path") or text.startswith("--config-env") for text in call.texts[1:3]):
            yield Warning(Kind.GIT, str(call))
    yield from _about_feeding(call)


def downloaded_then_run(calls: tuple[Call, ...]) -> Iterator[Warning]:
    """Notice `curl -o x.sh … && bash x.sh`."""
    fetched: set[str] = set()
    for call in calls:
        if program(call) in DOWNLOADERS:
            fetched |= {text.rpartition("/")[2] for text in call.texts[1:] if not text.startswith("-")}
            continue
        candidates = call.texts if program(call) in FILE_RUNNERS else call.texts[:1]
        if {text.rpartition("/")[2] for text in candidates} & (fetched - {""}):
            yield Warning(Kind.DOWNLOAD, str(call))


def git(call: Call) -> tuple[str, tuple[str, ...]]:
    """Find git's subcommand behind its own options, and what follows it."""
    texts = call.texts[1:]
    place = 0
    while place < len(texts) and texts[place].startswith("-"):
        place += 2 if texts[place] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
    return (texts[place], texts[place + 1 :]) if place < len(texts) else ("", ())


def _about_feeding(call: Call) -> Iterator[Warning]:
    """Judge a shell that runs what comes from elsewhere."""
    name, runs = program(call), runs_stdin(call)
    if not runs and name not in SOURCES | SHELLS:
        return
    sources = (*call.fed_by, *call.made_of) if runs else call.made_of
    downloads = [source for source in sources if program(source) in DOWNLOADERS]
    if downloads:
        yield Warning(Kind.DOWNLOAD, f"{downloads[0]} → {call}")
    elif any(not _writes_what_it_says(source) for source in sources):
        yield Warning(Kind.GENERATED, f"{sources[-1]} → {call}")
    elif any(not word.known for word in call.words[1:]):
        yield Warning(Kind.UNKNOWN, str(call))


def _writes_what_it_says(call: Call) -> bool:
    """Whether what it writes stands in the command, so that it was read as a script too."""
    if call.program == "cat":
        return len(call.words) == 1 and bool(call.stdin)
    return call.program in ("echo", "printf") and all(word.known for word in call.words)


def _about_git(subcommand: str, arguments: tuple[str, ...]) -> Iterator[Kind]:
    given = set(arguments)
    letters = set("".join(text[1:] for text in arguments if _short(text)))
    match subcommand:
        case "push" if _forces(arguments, letters):
            yield Kind.FORCE_PUSH
        case "clean" if "--force" in given or "f" in letters:
            yield Kind.DELETES
        case "config" if not {"--get", "--get-all", "--list", "-l", "get", "list", "--get-regexp"} & given:
            yield Kind.GIT
        case "filter-branch" | "filter-repo":
            yield Kind.DISCARDS
        case _ if _discards(subcommand, given, letters):
            yield Kind.DISCARDS


def _forces(arguments: tuple[str, ...], letters: set[str]) -> bool:
    if {"--force", "--mirror", "--delete", "--prune"} & set(arguments) or letters & {"f", "d"}:
        return True
    return any(text.startswith(("--force-with-lease", "+", ":")) for text in arguments)


def _discards(subcommand: str, given: set[str], letters: set[str]) -> bool:
    match subcommand:
        case "reset":
            return bool({"--hard", "--merge", "--keep"} & given)
        case "checkout":
            return bool({"--", ".", "--force"} & given) or "f" in letters
        case "restore":
            return bool(given) and not {"--staged", "-S"} & given
        case "stash":
            return bool({"drop", "clear"} & given)
        case "branch":
            return "D" in letters
    return False


def _deletes(name: str, arguments: tuple[str, ...]) -> bool:
    match name:
        case "rm":
            return any(text == "--recursive" or (_short(text) and set(text) & set("rR")) for text in arguments)
        case "find":
            return "-delete" in arguments
        case "rsync":
            return any(text.startswith("--del") for text in arguments)
        case "xargs":
            return any(text.rpartition("/")[2] in ("rm", "shred", "unlink") for text in arguments)
    return name in ("shred", "srm", "rimraf", "trash")


def _sets_rights(name: str, arguments: tuple[str, ...]) -> bool:
    if name in ELEVATORS:
        return True
    if name == "chmod":
        return any(
            "s" in text.partition("+")[2] or (text.isdigit() and len(text) == 4 and text[0] in "24567")
            for text in arguments
            if not text.startswith("-")
        )
    if name == "chown":
        return any(text.partition(":")[0] == "root" for text in arguments)
    if name in ("docker", "podman"):
        return "--privileged" in arguments or any(text.startswith(("/:", "--volume=/:", "-v/:")) for text in arguments)
    return False


def _runs_later(name: str, arguments: tuple[str, ...]) -> bool:
    return name in LATER or (name == "systemctl" and bool({"enable", "start", "edit"} & set(arguments)))


def _sets_up_claude(name: str, arguments: tuple[str, ...]) -> bool:
    return name == "claude" and bool({"config", "mcp", "plugin"} & set(arguments[:1]))


def _writes_device(name: str, arguments: tuple[str, ...]) -> bool:
    return name.startswith("mkfs") or (name == "dd" and any(text.startswith("of=/dev/") for text in arguments))


def _tells_secret(name: str, arguments: tuple[str, ...]) -> bool:
    if name == "printenv":
        return not arguments
    return " ".join(arguments[:3]).startswith(_SECRET_TELLERS.get(name, ()))


def _short(text: str) -> bool:
    """Whether these are single-letter options: `-rf`."""
    return text.startswith("-") and not text.startswith("--")


_CHECKS: tuple[tuple[Kind, Callable[[str, tuple[str, ...]], bool]], ...] = (
    (Kind.DELETES, _deletes),
    (Kind.ELEVATES, _sets_rights),
    (Kind.SHELL, _runs_later),
    (Kind.CLAUDE, _sets_up_claude),
    (Kind.DEVICE, _writes_device),
    (Kind.SECRET, _tells_secret),
)
