"""The rules that recognize secrets: those of gitleaks, and our own in the same format.

We leave out gitleaks' rules that need a file name, which a text in a channel does not have, and `private-key`, which
only recognizes a key by its two ends: our rule also recognizes half a key, and does not match a text about keys.
`generic-api-key` guesses by the name next to a value: in ten million lines of Python, JavaScript, C and documentation
it had one match per 100,000 lines, many of them ordinary program text. We require a digit in the value, as gitleaks
does, and more than `LONGEST_NAME` characters; the remaining matches are random strings.
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

SKIPPED = frozenset({"private-key"})
GUESSING_RULES = frozenset({"generic-api-key"})
LONGEST_NAME = 24
"""A value of at most this length may be the name of something: `delivery_s3_key_prefix`."""
MAX_MEMORY = 8 << 20  # bytes for the states of one automaton; one that needs more is slower, but still linear
MAX_CONTEXT = 500
"""Bytes on both sides of a match that are searched for a reason to allow it; gitleaks searches the whole line."""


@dataclass(frozen=True, slots=True)
class SecretRule:
    """One kind of secret: its pattern, and patterns of false positives."""

    id: str
    regex: Any
    keywords: tuple[bytes, ...]
    entropy: float = 0.0
    allowed: tuple[tuple[str, Any], ...] = ()
    """False positives: where to look (in the secret, the match or the line), and the pattern."""
    guess: bool = False

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the start and end of every secret of this kind, in bytes."""
        for found in self.regex.finditer(data):
            group = next((n for n in range(1, self.regex.groups + 1) if found.span(n) != (-1, -1) and found[n]), 0)
            start, end = found.span(group)
            if self._is_secret(data, found.span(), start, end):
                yield start, end

    def _is_secret(self, data: bytes, match: tuple[int, int], start: int, end: int) -> bool:
        secret = data[start:end]
        if self.entropy and entropy(secret) <= self.entropy:
            return False
        if self.id in GUESSING_RULES and (len(secret) <= LONGEST_NAME or not any(48 <= byte <= 57 for byte in secret)):
            return False
        return not any(shape.search(_target(where, data, match, secret)) for where, shape in self.allowed)


@dataclass(frozen=True, slots=True)
class SecretRules:
    """All rules, and one automaton that finds in a single pass which rules have a keyword in a text."""

    always: tuple[SecretRule, ...]
    by_keyword: tuple[tuple[SecretRule, ...], ...]
    keywords: Any

    def candidates(self, data: bytes) -> Iterator[SecretRule]:
        yield from self.always
        found = self.keywords.Match(data.lower())
        if self.catch_all not in found:  # it always matches, unless the automaton has run out of memory
            found = range(self.catch_all)
        yield from dict.fromkeys(
            rule for number in found if number != self.catch_all for rule in self.by_keyword[number]
        )

    @property
    def catch_all(self) -> int:
        """The number of the pattern that matches every text."""
        return len(self.by_keyword)


@cache
def rules() -> SecretRules:
    gitleaks, own = _read("gitleaks.toml"), _read("extra_rules.toml")
    known = [*(rule for rule in gitleaks if rule.id not in SKIPPED), *own]
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
    """Return the pattern of tokens that are recognized by their prefix."""
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
    options.max_mem = MAX_MEMORY
    return options


def _read(name: str) -> list[SecretRule]:
    data = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    global_allowlist = data["allowlist"]
    return [_rule(each, global_allowlist) for each in data["rules"] if "regex" in each and "path" not in each]


def _rule(data: Mapping[str, Any], global_allowlist: Mapping[str, Any]) -> SecretRule:
    # Skip lists for certain paths, because a text has no path.
    lists = [global_allowlist, *(each for each in data.get("allowlists", ()) if "paths" not in each)]
    return SecretRule(
        id=data["id"],
        regex=compiled(data["regex"]),
        keywords=tuple(keyword.lower().encode() for keyword in data["keywords"]),
        entropy=data.get("entropy", 0.0),
        allowed=tuple(_allowed(lists)),
        guess=data.get("guess", data["id"] in GUESSING_RULES),
    )


def _allowed(lists: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield one pattern for each place to look: there may be many matches, each compared with thousands of words."""
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
            before = data[max(0, match[0] - MAX_CONTEXT) : match[0]].rpartition(b"\n")[2]
            return before + data[match[0] : match[1]] + data[match[1] : match[1] + MAX_CONTEXT].partition(b"\n")[0]
        case _:
            return secret
