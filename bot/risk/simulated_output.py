"""Predicts the output of simple programs without running them: `echo`, `printf`, `base64 -d`, `rev`, `tr`…"""

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from bot.risk.shell_parser import unescape
from bot.risk.word_splitting import MAX_TEXT

_FORMAT = re.compile(r"%(?:%|[-+ #0]*\d{0,3}(?:\.\d{0,3})?([sbqcdiouxX]))")
_WHERE = frozenset({"which", "command", "type"})


def output(program: str, arguments: tuple[str, ...], stdin: str | None) -> str | None:  # noqa: PLR0911 - one per program
    """Return the output of a program for its arguments and input; None if it is not known."""
    if program == "echo":
        return _echo(arguments)
    if program in (":", "true", "false"):
        return ""
    if program == "printf":
        return _printf(arguments)
    if program in _WHERE and arguments[-1:] and arguments[-1][:1] not in ("-", ""):
        return f"{arguments[-1]}\n"
    if program in ("pwd", "git") and arguments in ((), ("rev-parse", "--show-toplevel")):
        return ".\n"
    if program in ("basename", "dirname") and len(arguments) == 1:
        head, slash, tail = arguments[0].rpartition("/")
        return tail if program == "basename" else head if slash else "."
    filter_ = _FILTERS.get(program)
    if filter_ is None or stdin is None or len(stdin) > MAX_TEXT:
        return None
    try:
        made = filter_(arguments, stdin)
    except (ValueError, binascii.Error, UnicodeError):
        return None
    return made if made is None or len(made) <= MAX_TEXT else None


def _echo(arguments: tuple[str, ...]) -> str:
    place = 0
    letters = ""
    while place < len(arguments) and re.fullmatch("-[neE]+", arguments[place]):
        letters += arguments[place][1:]
        place += 1
    text = " ".join(arguments[place:])
    text = unescape(text) if "e" in letters else text
    return text if "n" in letters else f"{text}\n"


def _printf(arguments: tuple[str, ...]) -> str | None:
    given = list(arguments[1:] if arguments[:1] == ("--",) else arguments)
    if not given or given[0] == "-v":
        return ""
    form, values = unescape(given[0]), given[1:]
    out: list[str] = []
    length = 0
    while length < MAX_TEXT:  # the format is repeated while there are values
        before = len(values)
        made = _FORMAT.sub(lambda found: _format_value(found, values), form)
        out.append(made)
        length += len(made) + 1
        if not values or len(values) == before:
            return "".join(out)
    return None


def _format_value(found: re.Match[str], values: list[str]) -> str:
    letter = found[1]
    if letter is None:
        return "%"
    value = values.pop(0) if values else ""
    if letter in "sq":
        return value
    if letter == "b":
        return unescape(value)
    if letter == "c":
        return value[:1]
    number = _number(value)
    return (found[0].replace("i", "d").replace("u", "d")) % number


def _number(text: str) -> int:
    if text[:1] in ("'", '"') and len(text) > 1:
        return ord(text[1])
    try:
        return int(text[:20], 0) if text else 0
    except ValueError:
        return int(text[:20], 8) if re.fullmatch("0[0-7]+", text[:20]) else 0


def _base64(arguments: tuple[str, ...], stdin: str) -> str:
    if _decodes(arguments):
        text = "".join(stdin.split())
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "replace")
    return base64.b64encode(stdin.encode()).decode()


def _base32(arguments: tuple[str, ...], stdin: str) -> str | None:
    text = "".join(stdin.split())
    return base64.b32decode(text + "=" * (-len(text) % 8)).decode("utf-8", "replace") if _decodes(arguments) else None


def _openssl(arguments: tuple[str, ...], stdin: str) -> str | None:
    return _base64(("-d",), stdin) if {"base64", "-base64", "-a"} & set(arguments) and "-d" in arguments else None


def _decodes(arguments: tuple[str, ...]) -> bool:
    return any(
        text == "-D" or text.startswith("--d") or (text[:1] == "-" and text[1:2] != "-" and "d" in text)
        for text in arguments
    )


def _xxd(arguments: tuple[str, ...], stdin: str) -> str | None:
    letters = "".join(text.lstrip("-") for text in arguments)
    digits = "".join(stdin.split())
    return bytes.fromhex(digits).decode("utf-8", "replace") if "r" in letters and "p" in letters else None


def _rev(_: tuple[str, ...], stdin: str) -> str:
    return "\n".join(line[::-1] for line in stdin.split("\n"))


def _tac(_: tuple[str, ...], stdin: str) -> str:
    return "\n".join(reversed(stdin.removesuffix("\n").split("\n")))


def _tr(arguments: tuple[str, ...], stdin: str) -> str | None:
    options = "".join(text[1:] for text in arguments if text.startswith("-"))
    sets = [_ranges(unescape(text)) for text in arguments if not text.startswith("-")]
    if "d" in options and len(sets) == 1:
        return stdin.translate(dict.fromkeys(map(ord, sets[0])))
    if options or len(sets) != 2 or "[" in "".join(sets) or not sets[1]:
        return None
    into = sets[1] + sets[1][-1] * max(0, len(sets[0]) - len(sets[1]))
    return stdin.translate({ord(a): b for a, b in zip(sets[0], into, strict=False)})


def _ranges(characters: str) -> str:
    """Expand `a-z` as `tr` does."""
    out: list[str] = []
    for before, character, after in _with_neighbours(characters):
        if character == "-" and before and after and ord(before) <= ord(after) <= ord(before) + 300:
            out += map(chr, range(ord(before) + 1, ord(after)))
        else:
            out.append(character)
    return "".join(out)


def _with_neighbours(text: str) -> Iterator[tuple[str, str, str]]:
    padded = ["", *text, ""]
    for (before, character), (_, after) in pairwise(pairwise(padded)):
        yield before, character, after


def _unchanged(arguments: tuple[str, ...], stdin: str) -> str | None:
    return stdin if all(text in ("-", "-u", "-n", "/dev/stdin") for text in arguments) else None


def _tee(_: tuple[str, ...], stdin: str) -> str:
    return stdin


def _cut(arguments: tuple[str, ...], stdin: str) -> str | None:
    found = re.fullmatch(r"-c(\d{1,4})?-(\d{1,4})?", "".join(arguments))
    if found is None:
        return None
    start, end = int(found[1] or 1) - 1, int(found[2]) if found[2] else None
    return "\n".join(line[start:end] for line in stdin.split("\n"))


def _sed(arguments: tuple[str, ...], stdin: str) -> str | None:
    """Apply a plain `s/x/y/g`: `echo rXm | sed s/X//`."""
    found = re.fullmatch(r"s(?P<end>[/|#,])([^\\\[\]*.^$&]{1,50})(?P=end)([^\\&]{0,50})(?P=end)(g?)", arguments[-1])
    if found is None or len(arguments) > 2 or found["end"] in found[2] or found["end"] in found[3]:
        return None
    return "\n".join(line.replace(found[2], found[3], -1 if found[4] else 1) for line in stdin.split("\n"))


def _rot13(_: tuple[str, ...], stdin: str) -> str:
    return codecs.encode(stdin, "rot13")


_FILTERS: Mapping[str, Callable[[tuple[str, ...], str], str | None]] = {
    "base64": _base64,
    "gbase64": _base64,
    "base32": _base32,
    "openssl": _openssl,
    "xxd": _xxd,
    "rev": _rev,
    "tac": _tac,
    "tr": _tr,
    "cat": _unchanged,
    "tee": _tee,
    "sponge": _unchanged,
    "cut": _cut,
    "sed": _sed,
    "rot13": _rot13,
}
