"""The rules that recognize a secret: gitleaks' as data, and our own in the same format.

Left out are gitleaks' rules that need the name of a file, which a text in a channel does not have, and
`private-key`, which knows a key only by its two ends: ours also knows half of one, and does not take a text about keys
for one. `generic-api-key` guesses by a name that stands next to a value: over ten million lines of
Python, JavaScript, C and documentation it found one thing in 100,000 lines, much of it ordinary program text. With a
digit in the value, as gitleaks demands it, and more than `LONGEST_NAME` characters of it, what is left is random.
"""

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import re2  # type: ignore[import-untyped]

LEFT_OUT = frozenset({"private-key"})
GUESSES = frozenset({"generic-api-key"})
LONGEST_NAME = 24
"""A value of at most this length may be the name of something: `delivery_s3_key_prefix`."""
MEMORY = 8 << 20  # bytes for the states of one automaton; what needs more is slower, and still linear
AROUND = 500
"""Bytes on both sides that are searched for a reason to allow a match; gitleaks takes the whole line."""


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One kind of secret: its shape, and what only looks like it."""

    id: str
    regex: Any
    keywords: tuple[bytes, ...]
    entropy: float = 0.0
    allowed: tuple[tuple[str, Any], ...] = ()
    """What is no secret: where to look (the secret, the match or the line), and its shape."""
    guess: bool = False

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Find every secret of this kind, as bytes from and to."""
        for found in self.regex.finditer(data):
            group = next((n for n in range(1, self.regex.groups + 1) if found.span(n) != (-1, -1) and found[n]), 0)
            start, end = found.span(group)
            if self._is_secret(data, found.span(), start, end):
                yield start, end

    def _is_secret(self, data: bytes, match: tuple[int, int], start: int, end: int) -> bool:
        secret = data[start:end]
        if self.entropy and entropy(secret) <= self.entropy:
            return False
        if self.id in GUESSES and (len(secret) <= LONGEST_NAME or not any(48 <= byte <= 57 for byte in secret)):
            return False
        return not any(shape.search(_target(where, data, match, secret)) for where, shape in self.allowed)


@dataclass(frozen=True, slots=True)
class SecretRules:
    """All rules, and one automaton that finds in a single pass which of them have a keyword in a text."""

    always: tuple[SecretRule, ...]
    by_keyword: tuple[tuple[SecretRule, ...], ...]
    keywords: Any

    def worth_trying(self, data: bytes) -> Iterator[SecretRule]:
        yield from self.always
        found = self.keywords.Match(data.lower())
        if self.every not in found:  # it always matches: the automaton has run out of memory
            found = range(self.every)
        yield from dict.fromkeys(rule for number in found if number != self.every for rule in self.by_keyword[number])

    @property
    def every(self) -> int:
        """The number of the pattern that every text matches."""
        return len(self.by_keyword)


@cache
def rules() -> SecretRules:
    theirs, own = _read("gitleaks.toml"), _read("own.toml")
    known = [*(rule for rule in theirs if rule.id not in LEFT_OUT), *own]
    by_keyword: dict[bytes, list[SecretRule]] = {}
    for rule in known:
        for keyword in rule.keywords:
            by_keyword.setdefault(keyword, []).append(rule)
    keywords = re2.Set.SearchSet(_options())
    for keyword in by_keyword:
        keywords.Add(re2.escape(keyword.decode()))
    keywords.Add("")
    keywords.Compile()
    return SecretRules(
        tuple(rule for rule in known if not rule.keywords), tuple(tuple(each) for each in by_keyword.values()), keywords
    )


def known_prefix() -> Any:
    """Return the shape of tokens that are known by their prefix, whatever follows."""
    return next(rule.regex for rule in rules().always if rule.id == "known-beginning")


def entropy(secret: bytes) -> float:
    """Return Shannon's entropy in bits per character: the higher, the less it looks like a word."""
    count = len(secret)
    return -sum(n / count * math.log2(n / count) for n in Counter(secret).values())


def compiled(pattern: str) -> Any:
    return re2.compile(pattern.encode(), _options())


def _options() -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    return options


def _read(name: str) -> list[SecretRule]:
    data = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    everywhere = data["allowlist"]
    return [_rule(each, everywhere) for each in data["rules"] if "regex" in each and "path" not in each]


def _rule(data: Mapping[str, Any], everywhere: Mapping[str, Any]) -> SecretRule:
    # A list that is for some paths only says nothing here: no text has one.
    lists = [everywhere, *(each for each in data.get("allowlists", ()) if "paths" not in each)]
    return SecretRule(
        id=data["id"],
        regex=compiled(data["regex"]),
        keywords=tuple(keyword.lower().encode() for keyword in data["keywords"]),
        entropy=data.get("entropy", 0.0),
        allowed=tuple(_allowed(lists)),
        guess=data.get("guess", data["id"] in GUESSES),
    )


def _allowed(lists: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Make one expression for each place: there may be many matches, each compared with thousands of words."""
    shapes: dict[str, list[str]] = {}
    for each in lists:
        shapes.setdefault(each.get("regexTarget", "secret"), []).extend(
            f"(?:{shape})" for shape in each.get("regexes", ())
        )
        shapes.setdefault("secret", []).extend(f"(?i:{re2.escape(word)})" for word in each.get("stopwords", ()))
    for where, any_of in shapes.items():
        if any_of:
            yield where, compiled("|".join(any_of))


def _target(where: str, data: bytes, match: tuple[int, int], secret: bytes) -> bytes:
    match where:
        case "match":
            return data[match[0] : match[1]]
        case "line":
            before = data[max(0, match[0] - AROUND) : match[0]].rpartition(b"\n")[2]
            return before + data[match[0] : match[1]] + data[match[1] : match[1] + AROUND].partition(b"\n")[0]
        case _:
            return secret
