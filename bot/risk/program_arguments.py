"""Parses the arguments of a call as its program would, and matches them against the patterns of its row."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from bot.risk.network_addresses import is_address, is_local, is_remote
from bot.risk.program_table import CallPattern, ProgramRow
from bot.risk.sensitive_paths import is_product
from bot.risk.shell_types import PipeStream, ProgramCall, Word

LONGEST = 2_000
"""Number of characters of a word that patterns are matched against."""
MAX_VERBS = 4
"""Maximum number of words before the command that a program calls."""
_PRODUCTION = re.compile(r"(?<![a-z])prod(?:uction)?(?![a-z])", re.IGNORECASE)
_OFF = frozenset({"none", "false", "no", "0"})
SECRET_NAME = re.compile(r"SECRET|TOKEN|PASSW|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The parsed arguments of a call."""

    options: tuple[tuple[str, Word | None], ...] = ()
    positionals: tuple[Word, ...] = ()
    places: tuple[int, ...] = ()
    """The index of each positional among the words."""
    stdin: PipeStream | None = None
    folders: tuple[str, ...] = ("",)
    _by_name: dict[str, list[Word | None]] = field(default_factory=dict)

    def given(self, *names: str) -> list[Word]:
        """Return the values of options."""
        return [value for name in names for value in self._by_name.get(name, ()) if value is not None]

    def has(self, wanted: str, *, abbreviates: bool = False) -> bool:
        """Check whether an option was given: `-f`, `--force*`, `--data=@*`, `-o=!x`."""
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


def read_arguments(call: ProgramCall, known: ProgramRow) -> CallArguments:
    """Parse the arguments of a call."""
    words = call.words
    if known.bundled and len(words) > 1 and words[1].text[:1].isalpha():  # `tar xzf a`
        words = (words[0], replace(words[1], text=f"-{words[1].text}"), *words[2:])
    own = _own_words(known)
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
            if leaves or len(positionals) == own:  # the rest belongs to the other program
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
            place += _parse_letters(word, following, known, options, positionals)
        place += 1
    by_name: dict[str, list[Word | None]] = {}
    for name, one in options:
        by_name.setdefault(name, []).append(one)
    return CallArguments(tuple(options), tuple(positionals), tuple(places), call.stdin, call.folders, by_name)


def _own_words(known: ProgramRow) -> int:
    """Return how many words of its own a program takes before the command that it calls; 0 if it calls none."""
    counts = [len(pattern.verbs) for pattern in known.calls if set(pattern.verbs) <= {"_"}]
    return min(counts) + 1 if counts else 0


def _dashes(known: ProgramRow) -> tuple[str, ...]:
    return ("-", "+") if known.language == "shell" else ("-",)


def _is_complete(known: ProgramRow, positionals: list[Word]) -> bool:
    """Check whether the next word begins the command that a program calls: the `ls` of `docker exec web ls`."""
    return len(positionals) <= MAX_VERBS and any(
        "_" in pattern.verbs and _match_verbs(pattern.verbs, tuple(positionals)) == len(positionals)
        for pattern in known.calls
    )


def _is_bare(option: str, known: ProgramRow, positionals: list[Word]) -> bool:
    """Check whether an option takes no value after this verb: the `-f` of `docker rm -f`."""
    return any(option in one.options and _match_verbs(one.verbs, tuple(positionals)) is not None for one in known.bare)


def _parse_letters(
    word: Word,
    following: Word | None,
    known: ProgramRow,
    options: list[tuple[str, Word | None]],
    positionals: list[Word],
) -> int:
    """Parse `-xzf file`; return how many more words were used."""
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
        if known.language == "shell":  # `-euoc pipefail 'rm -rf x'`: values are separate words
            options.append((name, following))
            taken = 1
            continue
        options.append((name, Word(rest.removeprefix("="), word.known, word.source) if rest else following))
        return 0 if rest else 1
    return taken


def matches(pattern: CallPattern, arguments: CallArguments, known: ProgramRow) -> bool:
    """Check whether the arguments match a pattern."""
    if not all(arguments.has(option, abbreviates=known.abbreviates) for option in pattern.options):
        return False
    if any(arguments.has(option) for option in pattern.absent):
        return False
    if not all(_holds(one, arguments) for one in pattern.circumstances):
        return False
    return _match_verbs(pattern.verbs, arguments.positionals) is not None


def is_harmless(known: ProgramRow, arguments: CallArguments) -> bool:
    return any(matches(pattern, arguments, known) for pattern in known.fine)


def called_words(
    pattern: CallPattern, call: ProgramCall, arguments: CallArguments, known: ProgramRow
) -> tuple[Word, ...]:
    """Return the words of the command after the verbs of a pattern."""
    if not all(arguments.has(option, abbreviates=known.abbreviates) for option in pattern.options):
        return ()
    matched = _match_verbs(pattern.verbs, arguments.positionals)
    if matched is None:
        return ()
    start = arguments.places[matched - 1] + 1 if matched else 1
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
                place += 1 + _parse_letters(words[place], None, known, taken, [])
        elif is_assignment(text):
            place += 1
        else:
            break
    return words[place:]


def is_assignment(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.isidentifier()


def _match_verbs(verbs: tuple[str, ...], positionals: tuple[Word, ...]) -> int | None:
    """Return how many positionals the verbs match, or None if they don't match; `...` skips any number."""
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
        while place < len(positionals) and not _matches_verb(positionals[place], verb):
            if not anywhere:
                return None
            place += 1
        if place == len(positionals):
            return None
        place += 1
        anywhere = False
    return place


def _matches_verb(word: Word, wanted: str) -> bool:
    """Check whether a word matches `a|b*` or a `<…>` description; `_` matches any word."""
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


def _holds(circumstance: str, arguments: CallArguments) -> bool:
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
    """Check whether a word names a build product, in every possible folder, or a folder from `mktemp`."""
    if word.known:
        return all(is_product(posixpath.join(place, word.text)) for place in folders)
    maker = word.source.maker if word.source is not None else None
    return maker is not None and maker.program == "mktemp" and ".." not in word.text


def _is_named(given: str, wanted: str, *, abbreviates: bool) -> bool:
    if "*" in wanted:
        return fnmatchcase(given[:LONGEST], wanted)
    return given == wanted or (abbreviates and len(given) > 2 and given.startswith("--") and wanted.startswith(given))
