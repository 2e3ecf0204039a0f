"""What to know about one call of a program."""

import re
from collections.abc import Callable, Iterator, Mapping

from bot.risk.calls import SHELLS, Found, git, is_assignment, program, runs_stdin
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one
from bot.risk.shell import Call

DOWNLOADERS = frozenset({"curl", "wget", "fetch", "http", "https", "xh", "aria2c", "nc", "ncat", "lynx", "scp", "ftp"})
ELEVATORS = frozenset({"sudo", "doas", "su", "pkexec", "run0", "gosu", "setcap", "visudo", "usermod", "gpasswd"})
SOURCES = frozenset({"source", ".", "eval"})
LATER = frozenset({"crontab", "at", "batch", "launchctl"})  # what they are told runs when nobody looks
FILE_RUNNERS = SHELLS | SOURCES | {"python", "node", "perl", "ruby", "chmod"}
_INFLUENCES = frozenset(
    {
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PROMPT_COMMAND"),
        *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS"),
        *("GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL", "GIT_EXEC_PATH"),
        *("PYTHONSTARTUP", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS"),
    }
)
_DOES_NOTHING = frozenset({"", "cat", "true", ":", "less", "/bin/true"})
_SECRET_VARIABLE = re.compile(r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE)
_DESTROYERS: Mapping[str, tuple[str, ...]] = {
    "terraform": ("destroy",),
    "tofu": ("destroy",),
    "pulumi": ("destroy",),
    "kubectl": ("delete",),
    "helm": ("uninstall", "delete"),
    "docker": ("system prune", "volume rm", "volume prune", "compose down -v", "compose down --volumes"),
    "gh": ("repo delete", "release delete"),
    "dropdb": ("",),
}
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
        own = call.texts[1 : len(call.texts) - len(git(call)[1])]
        if any(text == "-c" or text.startswith(("--exec-path", "--config-env")) for text in own):
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


def about_variables(found: Found) -> Iterator[Warning]:
    """Judge what is set for other programs, and which secrets are taken from the environment."""
    given = [text for call in found.calls if call.program == "env" for text in call.texts[1:] if is_assignment(text)]
    assigned = [(name, value.text) for name, value in found.assigned]
    for name, value in (*assigned, *((text.partition("=")[0], text.partition("=")[2]) for text in given)):
        if _influences(name, value):
            yield Warning(Kind.INFLUENCES, f"{name}={value}")
    yield from (Warning(Kind.SECRET, f"${name}") for name in found.variables if _SECRET_VARIABLE.search(name))


def _influences(name: str, value: str) -> bool:
    if name == "NODE_OPTIONS":
        return any(option in value for option in ("-r ", "require", "import", "loader"))
    return value not in _DOES_NOTHING and (name in _INFLUENCES or name.startswith("GIT_CONFIG"))


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
        case "remote" if {"add", "set-url", "remove", "rm", "rename"} & set(arguments[:1]):
            yield Kind.GIT
        case "filter-branch" | "filter-repo":
            yield Kind.DISCARDS
        case _ if _discards(subcommand, given, letters):
            yield Kind.DISCARDS


def _forces(arguments: tuple[str, ...], letters: set[str]) -> bool:
    if letters & {"f", "d"} or any(_is_option(text, "--mirror", "--delete", "--prune") for text in arguments):
        return True
    return any(text.startswith(("--force", "+", ":")) for text in arguments)


def _discards(subcommand: str, given: set[str], letters: set[str]) -> bool:  # noqa: PLR0911 - one a case
    match subcommand:
        case "reset":
            return any(_is_option(text, "--hard", "--merge", "--keep") for text in given)
        case "checkout":
            named = [text for text in given if not text.startswith("-")]  # two: of that commit, these files
            makes = letters & set("bBt") or {"--track", "--orphan"} & given
            return bool({"--", ".", "--force"} & given) or "f" in letters or (len(named) > 1 and not makes)
        case "switch":
            return bool({"--discard-changes", "--force"} & given) or bool(letters & set("fC"))
        case "restore":
            return bool(given) and not {"--staged", "-S"} & given
        case "stash":
            return bool({"drop", "clear"} & given)
        case "branch":
            return "D" in letters or {"--delete", "--force"} <= given
        case "update-ref":
            return "d" in letters
        case "worktree":
            return "remove" in given and ("--force" in given or "f" in letters)
        case "reflog":
            return bool({"expire", "delete"} & given)
    return False


def _deletes(name: str, arguments: tuple[str, ...]) -> bool:
    match name:
        case "rm":
            return any(
                _is_option(text, "--recursive") or (_short(text) and set(text) & set("rR")) for text in arguments
            )
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
        return not arguments or any(map(_SECRET_VARIABLE.search, arguments))
    if name in ("env", "set", "export", "declare", "typeset"):  # alone they list every variable
        return all(text.startswith("-") or (name == "env" and is_assignment(text)) for text in arguments) and (
            name != "set" or not arguments
        )
    return " ".join(arguments[:3]).startswith(_SECRET_TELLERS.get(name, ()))


def _destroys(name: str, arguments: tuple[str, ...]) -> bool:
    return name in _DESTROYERS and " ".join(arguments).startswith(_DESTROYERS[name])


def _is_option(text: str, *options: str) -> bool:
    """Whether it is one of these, perhaps not written out: `--rec` is `--recursive` to GNU's programs and git."""
    return text.startswith("--") and len(text) > 2 and any(option.startswith(text) for option in options)


def _short(text: str) -> bool:
    """Whether these are single-letter options: `-rf`."""
    return text.startswith("-") and not text.startswith("--")


_CHECKS: tuple[tuple[Kind, Callable[[str, tuple[str, ...]], bool]], ...] = (
    (Kind.DELETES, _deletes),
    (Kind.DISCARDS, _destroys),
    (Kind.ELEVATES, _sets_rights),
    (Kind.SHELL, _runs_later),
    (Kind.CLAUDE, _sets_up_claude),
    (Kind.DEVICE, _writes_device),
    (Kind.SECRET, _tells_secret),
)
