"""Finds the parts of a text that look like a secret."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.masking.secret_rules import SecretRule, rules

_KINDS = {"private-key": "a private key", "putty-private-key": "a private key", "password-in-an-address": "a password"}
_HEADING = re.compile(rb"-----BEGIN (?![A-Z ]*PRIVATE)[^\n]*\n\Z")
"""The heading of a certificate or public key, whose content is public."""

_ESCAPES = re.compile(
    rb"""(?:\\(?:u00[0-7][0-9A-Fa-f]|x1[bB]\[[0-9;]{0,20}[A-Za-z]|(?:033|e)\[[0-9;]{0,20}[A-Za-z]|[nrtbf])"""
    rb"""|\x1b\[[0-9;?]{0,20}[@-~]|%[0-7][0-9A-Fa-f]|&#?\w{1,8};|[\x00-\x08\x0e-\x1f]+)++"""
)
"""Escapes for line breaks, colours and quotes in JSON, URLs or logs; a rule would read them as part of a word."""
_ITALIC = re.compile(rb"(?<![\w.=-])(_{1,3})([\w.=-]*[A-Za-z0-9=-])\1(?![\w.=-])", re.ASCII)

MAX_GUESSED = 1_000_000
"""Bytes of the longest text that is searched by guessing, which is slow. Nobody reads longer messages."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The position of a secret in a text, in characters."""

    start: int
    end: int
    kind: str = "a key"


def find_secrets(text: str, *, guessing: bool = False) -> tuple[Secret, ...]:
    """Find parts of a text that look like secrets, in order and without overlaps.

    Takes linear time. `guessing` also finds parts that are only likely to be secrets.
    """
    data = text.encode("utf-8", "replace")
    spans = list(_spans(data, guessing))
    plain = _ITALIC.sub(_without_underscores, _ESCAPES.sub(lambda each: b" " * len(each[0]), data))
    if plain != data:
        spans += _spans(plain, guessing)
    found = _merge_overlaps(sorted(spans, key=lambda each: (each.start, -each.end)))
    return tuple(_in_characters(data, found)) if len(data) != len(text) else tuple(found)


def _spans(data: bytes, guessing: bool) -> Iterator[Secret]:  # noqa: FBT001 - beside its one caller
    for rule in rules().candidates(data):
        if (guessing and len(data) <= MAX_GUESSED) or not rule.guess:
            kind = _KINDS.get(rule.id, "a key")
            yield from (Secret(*span, kind) for span in rule.spans(data) if not _is_public(rule, data, span))


def _without_underscores(italic: re.Match[bytes]) -> bytes:
    marks = b" " * len(italic[1])
    return marks + italic[2] + marks


def _is_public(rule: SecretRule, data: bytes, span: tuple[int, int]) -> bool:
    start, end = span
    match rule.id:
        case "middle-of-a-key":
            return _HEADING.search(data[max(0, start - 200) : start]) is not None
        case "password-in-an-address":  # postgres://app:app@localhost
            return data[max(0, 2 * start - end - 2) : start] == b"/" + data[start:end] + b":"
    return False


def _merge_overlaps(found: Iterable[Secret]) -> list[Secret]:
    """Merge overlapping secrets."""
    merged: list[Secret] = []
    for each in found:
        if merged and each.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.start, max(last.end, each.end), last.kind)
        else:
            merged.append(each)
    return merged


def _in_characters(data: bytes, found: Iterable[Secret]) -> Iterator[Secret]:
    """Convert byte offsets to character offsets, in one pass."""
    at_byte = at = 0
    for each in found:
        start = at + len(data[at_byte : each.start].decode())
        at = start + len(data[each.start : each.end].decode())
        at_byte = each.end
        yield Secret(start, at, each.kind)
