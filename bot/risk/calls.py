"""Every program that a command would call, also through others: `sudo`, `xargs`, `bash -c`, `find -exec`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.risk.shell import Call, Redirect, Script, Word, parse

DEPTH = 8  # a shell in a shell in a shell…; beyond that it is called unreadable
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "rbash", "busybox", "pwsh"})
INTERPRETERS = frozenset(
    {"python", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "osascript", "awk", "gawk"}
)
INLINE_CODE = frozenset({"-c", "-e", "--eval", "-p", "--print", "-r", "-E", "eval"})

_VALUE_FLAGS: dict[str, frozenset[str]] = {  # options of programs that call others, and take the next word
    "sudo": frozenset(
        {"-u", "-g", "-h", "-p", "-C", "-r", "-t", "-U", "-D", "-R", "-T", "--user", "--group", "--chdir"}
    ),
    "doas": frozenset({"-u", "-C", "-a"}),
    "env": frozenset({"-u", "-C", "--unset", "--chdir"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "xargs": frozenset({"-I", "-n", "-P", "-L", "-d", "-E", "-a", "-s", "--max-args", "--max-procs", "--delimiter"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "time": frozenset({"-f", "-o"}),
    "watch": frozenset({"-n", "-d"}),
    "exec": frozenset({"-a"}),
    "chroot": frozenset(),
    "pkexec": frozenset({"--user"}),
    "strace": frozenset({"-e", "-o", "-p", "-s"}),
    "flock": frozenset({"-w", "-E"}),
} | {
    name: frozenset()
    for name in ("nohup", "setsid", "command", "builtin", "coproc", "parallel", "run0", "unbuffer", "caffeinate")
}
WRAPPERS = frozenset(_VALUE_FLAGS)
_OWN_ARGUMENTS = {"timeout": 1, "chroot": 1, "flock": 1}  # words of their own before the program


@dataclass(frozen=True, slots=True)
class Found:
    """All that one command line would do, as far as it can be read."""

    calls: tuple[Call, ...]
    redirects: tuple[Redirect, ...]
    understood: bool


@lru_cache(maxsize=32)  # a card asks a dozen times about its one command
def find(source: str) -> Found:
    calls: list[Call] = []
    redirects: list[Redirect] = []
    understood = True
    waiting = [(source, 0)]
    while waiting:
        text, depth = waiting.pop()
        if depth > DEPTH:
            understood = False
            continue
        script = parse(text)
        understood &= script.understood
        redirects += script.redirects
        for call in _unwrapped(script):
            calls.append(call)
            waiting += [(inner, depth + 1) for inner in _scripts(call)]
    return Found(tuple(calls), tuple(redirects), understood)


def runs_stdin(call: Call) -> bool:
    """Whether a shell or an interpreter would run what it is fed."""
    name = program(call)
    arguments = call.texts[1:]
    if name not in SHELLS | INTERPRETERS - {"awk", "gawk"}:
        return False
    if (
        name in SHELLS
        and _inline(call) is None
        and ("-s" in arguments or all(text.startswith("-") for text in arguments))
    ):
        return True
    return name in INTERPRETERS and all(text == "-" for text in arguments)


def program(call: Call) -> str:
    """Name the program, without its path or version: `/usr/bin/python3.12` is python."""
    return call.program.rstrip("0123456789.") or call.program


def inline_code(call: Call) -> str:
    """Name the interpreter whose code stands in the command itself; it is not read here."""
    name = program(call)
    if name not in INTERPRETERS:
        return ""
    if name in ("awk", "gawk"):
        return ""
    if any(text in INLINE_CODE for text in call.texts[1:]) or (call.stdin and runs_stdin(call)):
        return call.program
    return ""


def _unwrapped(script: Script) -> Iterator[Call]:
    for call in script.calls:
        waiting = [call]
        for _ in range(DEPTH):
            if not waiting:
                break
            current = waiting.pop()
            yield current
            waiting += _called_by(current)


def _called_by(call: Call) -> list[Call]:
    """Name the calls that a call makes of its own arguments."""
    name = program(call)
    if name in _VALUE_FLAGS:
        inner = _after_options(call.words[1:], _VALUE_FLAGS[name], _OWN_ARGUMENTS.get(name, 0))
        return [replace(call, words=inner)] if inner else []
    if name in ("find", "fd"):
        return [replace(call, words=words) for words in _executed(call.words)]
    return []


def _after_options(words: tuple[Word, ...], takes_value: frozenset[str], own: int) -> tuple[Word, ...]:
    place = 0
    while place < len(words):
        text = words[place].text
        if text in takes_value:
            place += 2
        elif text.startswith("-") or is_assignment(text):
            place += 1
        elif own:
            own -= 1
            place += 1
        else:
            break
    return words[place:]


def is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()


def _executed(words: tuple[Word, ...]) -> Iterator[tuple[Word, ...]]:
    for place, word in enumerate(words):
        if word.text in ("-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"):
            inner = []
            for following in words[place + 1 :]:
                if following.text in (";", "+"):
                    break
                inner.append(following)
            if inner:
                yield tuple(inner)


def _scripts(call: Call) -> Iterator[str]:
    """Name the texts that a call hands to a shell."""
    name, words = program(call), call.words[1:]
    if name == "eval" and words:
        yield " ".join(word.text for word in words)
    if name in SHELLS and (inline := _inline(call)) is not None:
        yield inline
    if name == "su" and (inline := _inline(call)) is not None:
        yield inline
    if name == "ssh" and len(words) > 1:
        yield " ".join(word.text for word in _after_options(words, frozenset({"-i", "-p", "-l", "-o", "-F", "-J"}), 1))
    if name in SHELLS and runs_stdin(call):
        yield from call.stdin
        yield from (text for feeder in call.fed_by for text in _written(feeder))


def _inline(call: Call) -> str | None:
    """Find the text after `-c`, also in `-lc` and `-ec`."""
    for place, word in enumerate(call.words[1:], start=1):
        text = word.text
        if text.startswith("-") and not text.startswith("--") and "c" in text[1:]:
            return call.words[place + 1].text if place + 1 < len(call.words) else ""
        if not text.startswith("-"):
            return None
    return None


def _written(call: Call) -> Iterator[str]:
    """Say what a feeder writes, when that stands in the command: `echo … | sh`."""
    if call.program in ("echo", "printf"):
        yield " ".join(word.text for word in call.words[1:] if not word.text.startswith("-"))
    if call.program == "cat":
        yield from call.stdin
