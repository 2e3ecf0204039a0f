"""Every program that a command would call, also through others: `sudo`, `xargs`, `bash -c`, `find -exec`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.risk.harmless import CALL_NOBODY, GIT_READERS
from bot.risk.shell import MOST_SOURCE, Call, Redirect, Script, Word, parse

MOST_READ = 4 * MOST_SOURCE  # characters, each script within a script counted again
DEPTH = 8  # a shell in a shell in a shell…; beyond that it is called unreadable
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "rbash", "pwsh"})
INTERPRETERS = frozenset(
    {
        *("python", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "osascript", "awk", "gawk", "mawk"),
        *("R", "Rscript", "julia", "tclsh", "expect", "groovy", "scala", "ghc", "erl", "elixir"),
    }
)
AWKS = frozenset({"awk", "gawk", "mawk"})
INLINE_CODE = frozenset({"--eval", "--print", "eval"})
INLINE_LETTERS = {"python": "c", "expect": "c", "node": "ep", "perl": "eE", "php": "r"}  # else e: `-e`, `-pe`, `-e1`
INNER = SHELLS | {"rm", "rimraf", "shred", "dd", "find", "git", "sudo", "doas"}
"""Programs that are looked for among the arguments of any other: `docker exec web rm -rf /data`."""
MESSAGE_FLAGS = frozenset({"-m", "--message", "-t", "--title", "-b", "--body", "--notes"})
STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0"})

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
    for name in (
        "nohup",
        "setsid",
        "command",
        "builtin",
        "coproc",
        "parallel",
        "run0",
        "unbuffer",
        "caffeinate",
        "busybox",
        "toybox",
    )
}
WRAPPERS = frozenset(_VALUE_FLAGS)
_SCRIPTED = frozenset({"eval", "su", "script", "trap", "watch", "alias", "ssh"})  # their scripts are found below
_SED_PLAIN = re.compile(
    r"(?:\s*(?:/(?:\\.|[^/\\])*/|[0-9$,~+! ])*"  # which lines
    r"(?:s(?P<end>[/|#,@:])(?:\\.|(?!(?P=end))[^\\])*(?P=end)(?:\\.|(?!(?P=end))[^\\])*(?P=end)[gpiI0-9]*|[pdq=])"
    r"\s*(?:[;\n]|\Z))+"
)
_AWK_ACTS = re.compile(r"\bsystem\b|\bgetline\b|\bprintf?\b[^;}\n]*[|>]")
MOST_AWK = 5000  # characters; looking for such a `print` takes a square of time
_OWN_ARGUMENTS = {"timeout": 1, "chroot": 1, "flock": 1}  # words of their own before the program


@dataclass(frozen=True, slots=True)
class Found:
    """All that one command line would do, as far as it can be read."""

    calls: tuple[Call, ...]
    redirects: tuple[Redirect, ...]
    understood: bool
    assigned: tuple[tuple[str, Word], ...]
    variables: frozenset[str]


@lru_cache(maxsize=32)  # a card asks a dozen times about its one command
def find(source: str) -> Found:
    calls: list[Call] = []
    scripts: list[Script] = []
    waiting: list[tuple[str | Call, int]] = [(source, 0)]
    left = MOST_READ
    understood = True
    while waiting:
        item, depth = waiting.pop()
        left -= len(item) if isinstance(item, str) else 0
        if depth > DEPTH or left < 0:
            understood = False
        elif isinstance(item, Call):
            calls.append(item)
            waiting += [(call, depth + 1) for call in _called_by(item)]
            waiting += [(inner, depth + 1) for inner in _scripts(item)]
        else:
            scripts.append(script := parse(item))
            waiting += [(inner, depth + 1) for inner in script.inner]
            waiting += [(call, depth) for call in reversed(script.calls)]  # the first is taken first
    return Found(
        tuple(calls),
        tuple(redirect for script in scripts for redirect in script.redirects),
        understood and all(script.understood for script in scripts),
        tuple(assigned for script in scripts for assigned in script.assigned),
        frozenset(name for script in scripts for name in script.variables),
    )


def runs_stdin(call: Call) -> bool:
    """Whether a shell or an interpreter would run what it is fed."""
    name = program(call)
    if name in SHELLS:
        given = _after_options(_without_values(call.words[1:]), frozenset(), 0)
        return _inline(call) is None and ("-s" in call.texts or not given or given[0].text in STDIN)
    given = tuple(word for word in call.words[1:] if not word.text.startswith("-") or word.text == "-")
    return name in INTERPRETERS - AWKS and not _has_inline_code(call) and (not given or given[0].text in STDIN)


def program(call: Call) -> str:
    """Name the program, without its path or version: `/usr/bin/python3.12` is python."""
    return call.program.rstrip("0123456789.") or call.program


def inline_code(call: Call) -> str:
    """Name the interpreter whose code stands in the command itself; it is not read here."""
    name = program(call)
    if name == "sed":  # GNU's has commands that run others
        scripts = [text for text in call.texts[1:] if text and not text.startswith("-")][:1]
        return "" if all(map(_SED_PLAIN.fullmatch, scripts)) else call.program
    if name not in INTERPRETERS:
        return ""
    if name in AWKS:  # most of what is written in it prints columns
        return call.program if any(len(t) > MOST_AWK or _AWK_ACTS.search(t) for t in call.texts[1:]) else ""
    return call.program if _has_inline_code(call) or (call.stdin and runs_stdin(call)) else ""


def _has_inline_code(call: Call) -> bool:
    letters = set(INLINE_LETTERS.get(program(call).removesuffix("js"), "e"))
    for text in call.texts[1:]:
        if text.partition("=")[0] in INLINE_CODE:
            return True
        if text.startswith("-") and not text.startswith("--") and letters & set(text[1:4]):
            return True
        if not text.startswith("-"):  # what follows belongs to the script
            return False
    return False


def git(call: Call) -> tuple[str, tuple[str, ...]]:
    """Find git's subcommand behind its own options, and what follows it."""
    texts = call.texts[1:]
    place = 0
    while place < len(texts) and texts[place].startswith("-"):
        place += 2 if texts[place] in ("-C", "-c", "--git-dir", "--work-tree", "--namespace") else 1
    return (texts[place], texts[place + 1 :]) if place < len(texts) else ("", ())


def _called_by(call: Call) -> list[Call]:
    """Name the calls that a call makes of its own arguments."""
    name = program(call)
    if name == "command" and {"-v", "-V"} & set(call.texts[1:2]):
        return []  # only says where it is
    if name in _VALUE_FLAGS:
        inner = _after_options(call.words[1:], _VALUE_FLAGS[name], _OWN_ARGUMENTS.get(name, 0))
        return [replace(call, words=inner)] if inner else []
    if name in ("find", "fd"):
        return [replace(call, words=words) for words in _executed(call.words)]
    if _may_call(call):
        for place, word in enumerate(call.words[1:], start=1):
            if word.text.rpartition("/")[2] in INNER:
                return [replace(call, words=call.words[place:])]
    return []


def _may_call(call: Call) -> bool:
    """Whether a program's name among the arguments may be one that is called."""
    name = program(call)
    if name == "git":
        return git(call)[0] not in GIT_READERS
    return name not in CALL_NOBODY | SHELLS | _SCRIPTED | WRAPPERS


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
    if name in ("su", "script") and (inline := _inline(call)) is not None:
        yield inline
    if name in ("trap", "watch") and words:
        yield " ".join(word.text for word in (words[:1] if name == "trap" else words) if not word.text.startswith("-"))
    if name == "alias":
        yield from (word.text.partition("=")[2] for word in words)
    if _may_call(call) or name == "ssh":
        yield from _quoted(call)
    if name == "ssh" and len(words) > 1:
        yield " ".join(word.text for word in _after_options(words, frozenset({"-i", "-p", "-l", "-o", "-F", "-J"}), 1))
    if name in SHELLS and runs_stdin(call):
        yield from call.stdin
        yield from (text for feeder in call.fed_by for text in _written(feeder))


def _inline(call: Call) -> str | None:
    """Find the text after `-c`, also in `-lc` and behind `-euo pipefail`."""
    words = _without_values(call.words[1:])
    for place, word in enumerate(words):
        text = word.text
        if text.startswith("-") and not text.startswith("--") and "c" in text[1:]:
            return words[place + 1].text if place + 1 < len(words) else ""
        if text == "--" or (not text.startswith(("-", "+")) and program(call) in SHELLS):
            return None
    return None


def _without_values(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Leave out what belongs to a shell's options before its script: the `pipefail` of `-euo pipefail`."""
    kept: list[Word] = []
    place = 0
    while place < len(words) and words[place].text.startswith(("-", "+")):
        text = words[place].text
        kept.append(words[place])
        short = not text.startswith("--")
        place += 1 + (bool(set("oO") & set(text[1:])) if short else text in ("--rcfile", "--init-file"))
    return (*kept, *words[place:])


def _quoted(call: Call) -> Iterator[str]:
    """Find arguments that are commands themselves: `tmux new -d 'rm -rf x'`, `--checkpoint-action=exec='rm -rf x'`."""
    for before, word in zip(call.texts, call.words[1:], strict=False):
        first, blank, rest = word.text.partition(" ")
        first = first.rpartition("=")[2].lstrip(":!")
        if blank and before not in MESSAGE_FLAGS and first.rpartition("/")[2] in INNER:
            yield f"{first} {rest}"


def _written(call: Call) -> Iterator[str]:
    """Say what a feeder writes, when that stands in the command: `echo … | sh`."""
    if call.program in ("echo", "printf"):
        yield " ".join(word.text for word in call.words[1:] if not word.text.startswith("-"))
    if call.program == "cat":
        yield from call.stdin
