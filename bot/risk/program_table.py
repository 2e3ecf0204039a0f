"""What is known of programs: one row each in `programs.toml`."""

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import Any

from bot.risk.network_addresses import is_address, is_local, is_remote
from bot.risk.sensitive_paths import is_product
from bot.risk.shell_parser import Call, Stream, Word
from bot.risk.warning_kinds import Kind

LONGEST = 2_000
"""Characters of a word that a pattern is tried on."""
MOST_VERBS = 4
"""Words behind which the command that a program calls begins at the latest."""
SECRET_NAME = re.compile(r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE)
HARMLESS = ("--help",)
_PRODUCTION = re.compile(r"(?<![a-z])prod(?:uction)?(?![a-z])", re.IGNORECASE)
_OFF = frozenset({"none", "false", "no", "0"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """A verb and its options: `volume rm|prune !--dry-run`; the file explains how these are written."""

    verbs: tuple[str, ...]
    options: tuple[str, ...]
    absent: tuple[str, ...]
    circumstances: tuple[str, ...]
    """`<fed>`, `!<local>`: what must be so, beyond the words."""

    @classmethod
    def read(cls, text: str) -> "Pattern":
        tokens = text.split()
        options = tuple(token for token in tokens if token.startswith("-"))
        absent = tuple(token[1:] for token in tokens if token.startswith("!-"))
        circumstances = tuple(token for token in tokens if token.startswith(("!<", "<fed", "<production")))
        others = {*options, *circumstances, *(f"!{token}" for token in absent)}
        return cls(tuple(token for token in tokens if token not in others), options, absent, circumstances)


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one program."""

    values: frozenset[str] = frozenset()
    whole: bool = False
    abbreviates: bool = False
    paths: str = "write"
    skip: int = 0
    texts: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()
    sql: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    calls: tuple[Pattern, ...] = ()
    joins: bool = False
    reading: tuple[Pattern, ...] = ()
    fine: tuple[Pattern, ...] = ()
    evals: tuple[Pattern, ...] = ()
    evaluates: tuple[Pattern, ...] = ()
    warns: tuple[tuple[Kind, Pattern], ...] = ()
    feeds: tuple[Pattern, ...] = ()
    fetches: bool = False
    network: bool = False
    keys: tuple[str, ...] = ()
    bare: tuple[Pattern, ...] = ()
    bundled: bool = False
    leads: bool = False
    leading: bool = False
    away: bool = False
    language: str = ""
    checks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments, taken apart as its program would."""

    options: tuple[tuple[str, Word | None], ...] = ()
    positionals: tuple[Word, ...] = ()
    places: tuple[int, ...] = ()
    """Where each positional stands among the words."""
    stdin: Stream | None = None
    folders: tuple[str, ...] = ("",)
    _by_name: dict[str, list[Word | None]] = field(default_factory=dict)

    def given(self, *names: str) -> list[Word]:
        """List the values of options."""
        return [value for name in names for value in self._by_name.get(name, ()) if value is not None]

    def has(self, wanted: str, *, abbreviates: bool = False) -> bool:
        """Whether an option was given: `-f`, `--force*`, `--data=@*`, `-o=!x`."""
        name, equals, value = wanted.partition("=")
        candidates: Iterator[tuple[str, Word | None]] | list[tuple[str, Word | None]]
        if "*" in name or (abbreviates and name.startswith("--")):
            candidates = [one for one in self.options if _is_named(one[0], name, abbreviates=abbreviates)]
        else:
            candidates = [(name, one) for one in self._by_name.get(name, ())]
        if not equals:
            return any(one is None or one.text.casefold() not in _OFF for _, one in candidates)
        negated, value = value.startswith("!"), value.removeprefix("!")
        return any(one is not None and _is_one_of(one.text, value) != negated for _, one in candidates)


def row(program: str) -> Row:
    """Find a program's row; one without has an empty one."""
    return rows().get(program, _NONE)


@cache
def rows() -> Mapping[str, Row]:
    """Read the table, once."""
    text = resources.files("bot.risk").joinpath("programs.toml").read_text("utf-8")
    made: dict[str, Row] = {}
    for names, cells in tomllib.loads(text).items():
        one = _row(cells)
        made |= dict.fromkeys(names.split(), one)
    return made


def names(**wanted: object) -> frozenset[str]:
    """Name the programs whose rows have these cells."""
    return frozenset(name for name, one in rows().items() if all(getattr(one, key) == wanted[key] for key in wanted))


@cache
def callers() -> frozenset[str]:
    """Name the programs that call another one given right behind their own options: `sudo`, `timeout 5`."""
    return frozenset(name for name, one in rows().items() if any(set(pattern.verbs) <= {"_"} for pattern in one.calls))


def _row(cells: dict[str, Any]) -> Row:
    kinds = {kind.name.casefold(): kind for kind in Kind}
    warns = tuple((kinds[key], Pattern.read(text)) for key, cell in cells.items() if key in kinds for text in cell)
    made: dict[str, Any] = {}
    for key, cell in cells.items():
        if key in kinds:
            continue
        match cell:
            case str() if key == "keys":
                made[key] = tuple(cell.split())
            case str() if key not in ("paths", "language"):
                made[key] = frozenset(cell.split())
            case list():
                made[key] = tuple(map(Pattern.read, cell))
            case _:
                made[key] = cell
    options = (made.get(key, frozenset()) for key in ("values", "texts", "reads", "writes", "scripts", "sql", "code"))
    made["values"] = frozenset().union(*options)
    made.setdefault("fine", tuple(map(Pattern.read, HARMLESS)))
    return Row(**made, warns=warns)


_NONE = Row(fine=tuple(map(Pattern.read, HARMLESS)))


def split(call: Call, known: Row) -> Arguments:
    """Take a call's arguments apart."""
    words = call.words
    if known.bundled and len(words) > 1 and words[1].text[:1].isalpha():  # `tar xzf a`
        words = (words[0], replace(words[1], text=f"-{words[1].text}"), *words[2:])
    own = _own(known)
    leaves = False
    options: list[tuple[str, Word | None]] = []
    positionals: list[Word] = []
    places: list[int] = []
    place = 1
    while place < len(words):
        word = words[place]
        text = word.text
        following = words[place + 1] if place + 1 < len(words) else None
        if text == "--":
            options.append(("--", None))
            positionals += words[place + 1 :]
            places += range(place + 1, len(words))
            break
        if (leaves and known.leading) or not text.startswith(_dashes(known)) or text == "-":
            positionals.append(word)
            places.append(place)
            if leaves or len(positionals) == own:  # from here on it is the other program's
                positionals += words[place + 1 :]
                places += range(place + 1, len(words))
                break
            leaves = _is_complete(known, positionals)
        elif text.startswith("--") or known.whole:
            name, equals, value = text.partition("=")
            if equals:
                options.append((name, Word(value, word.known, word.source)))
            elif name in known.values and not _is_bare(name, known, positionals):
                options.append((name, following))
                place += 1
            else:
                options.append((name, None))
        else:
            place += _letters(word, following, known, options, positionals)
        place += 1
    by_name: dict[str, list[Word | None]] = {}
    for name, one in options:
        by_name.setdefault(name, []).append(one)
    return Arguments(tuple(options), tuple(positionals), tuple(places), call.stdin, call.folders, by_name)


def _own(known: Row) -> int:
    """Say how many words a program takes before those of the program that it calls; 0: it calls none."""
    counts = [len(pattern.verbs) for pattern in known.calls if set(pattern.verbs) <= {"_"}]
    return min(counts) + 1 if counts else 0


def _dashes(known: Row) -> tuple[str, ...]:
    return ("-", "+") if known.language == "shell" else ("-",)


def _is_complete(known: Row, positionals: list[Word]) -> bool:
    """Whether what comes next begins the command that a program calls: the `ls` of `docker exec web ls`."""
    return len(positionals) <= MOST_VERBS and any(
        "_" in pattern.verbs and _behind(pattern.verbs, tuple(positionals)) == len(positionals)
        for pattern in known.calls
    )


def _is_bare(option: str, known: Row, positionals: list[Word]) -> bool:
    """Whether an option takes no value behind this verb: the `-f` of `docker rm -f`."""
    return any(option in one.options and _behind(one.verbs, tuple(positionals)) is not None for one in known.bare)


def _letters(
    word: Word, following: Word | None, known: Row, options: list[tuple[str, Word | None]], positionals: list[Word]
) -> int:
    """Read `-xzf file`; gives how many more words were taken."""
    text = word.text
    taken = 0
    if len(text) > 2 and text in known.values:  # zip's `-TT`
        options.append((text, following))
        return 1
    for number, letter in enumerate(text[1:200], 1):
        name = f"-{letter}"
        if name not in known.values or _is_bare(name, known, positionals):
            options.append((name, None))
            continue
        rest = text[number + 1 :]
        if known.language == "shell":  # `-euoc pipefail 'rm -rf x'`: its values are words of their own
            options.append((name, following))
            taken = 1
            continue
        options.append((name, Word(rest.removeprefix("="), word.known, word.source) if rest else following))
        return 0 if rest else 1
    return taken


def matches(pattern: Pattern, arguments: Arguments, known: Row) -> bool:
    """Whether a call is of this kind."""
    if not all(arguments.has(option, abbreviates=known.abbreviates) for option in pattern.options):
        return False
    if any(arguments.has(option) for option in pattern.absent):
        return False
    if not all(_is_so(one, arguments) for one in pattern.circumstances):
        return False
    return _behind(pattern.verbs, arguments.positionals) is not None


def is_fine(known: Row, arguments: Arguments) -> bool:
    return any(matches(pattern, arguments, known) for pattern in known.fine)


def called(pattern: Pattern, call: Call, arguments: Arguments, known: Row) -> tuple[Word, ...]:
    """Name the words of the command that a call is given behind this verb."""
    if not all(arguments.has(option, abbreviates=known.abbreviates) for option in pattern.options):
        return ()
    behind = _behind(pattern.verbs, arguments.positionals)
    if behind is None:
        return ()
    start = arguments.places[behind - 1] + 1 if behind else 1
    place = start
    words = call.words
    while place < len(words):
        text = words[place].text
        if text == "--":
            return words[place + 1 :]
        if text.startswith("-") and len(text) > 1:
            taken: list[tuple[str, Word | None]] = []
            if text.startswith("--") or known.whole:
                place += 2 if text in known.values else 1
            else:
                place += 1 + _letters(words[place], None, known, taken, [])
        elif is_assignment(text):
            place += 1
        else:
            break
    return words[place:]


def is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()


def _behind(verbs: tuple[str, ...], positionals: tuple[Word, ...]) -> int | None:
    """Say how many positionals the verbs take up; None: they don't fit. `...` skips any number."""
    place = 0
    anywhere = False
    for verb in verbs:
        if verb == "...":
            anywhere = True
            continue
        if verb == "<self>":
            return place - 1
        if verb == "<end>":
            return place if place == len(positionals) else None
        while place < len(positionals) and not _fits(positionals[place], verb):
            if not anywhere:
                return None
            place += 1
        if place == len(positionals):
            return None
        place += 1
        anywhere = False
    return place


def _fits(word: Word, wanted: str) -> bool:
    """Whether a word is one of `a|b*`, or what `<…>` describes; `_` is any."""
    match wanted:
        case "_":
            return True
        case "<unknown>":
            return not word.known
        case "<substituted>":
            return not word.known and word.source is not None
        case "<remote>":
            return is_remote(word.text)
        case "<secret-name>":
            return bool(SECRET_NAME.search(word.text))
    return _is_one_of(word.text, wanted)


def _is_one_of(text: str, wanted: str) -> bool:
    text = text.casefold()
    return any(
        fnmatchcase(text[:LONGEST], one) if set(one) & set("*?[") else text == one
        for one in wanted.casefold().split("|")
    )


def _is_so(circumstance: str, arguments: Arguments) -> bool:
    stdin = arguments.stdin
    match circumstance:
        case "<fed>":
            return stdin is not None
        case "<fed-download>":
            return stdin is not None and stdin.downloaded
        case "<production>":
            given = (*arguments.positionals, *(value for _, value in arguments.options if value is not None))
            return any(_PRODUCTION.search(word.text[:LONGEST]) for word in given)
        case "!<local>":
            named = (*arguments.positionals, *arguments.given("--url"))
            addresses = [word.text for word in named if is_address(word.text)]
            return not addresses or not all(map(is_local, addresses))
        case "!<products>":
            words = arguments.positionals
            return not words or not all(_names_product(word, arguments.folders) for word in words)
    raise ValueError(circumstance)


def _names_product(word: Word, folders: tuple[str, ...]) -> bool:
    """Whether a word names what a build makes again, from wherever it is named, or a folder that `mktemp` made."""
    if word.known:
        return all(is_product(posixpath.join(place, word.text)) for place in folders)
    maker = word.source.maker if word.source is not None else None
    return maker is not None and maker.program == "mktemp" and ".." not in word.text


def _is_named(given: str, wanted: str, *, abbreviates: bool) -> bool:
    if "*" in wanted:
        return fnmatchcase(given[:LONGEST], wanted)
    return given == wanted or (abbreviates and len(given) > 2 and given.startswith("--") and wanted.startswith(given))
