"""Finds the parts of a text that look like a secret."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.masking.secret_rules import SecretRule, rules

_KINDS = {"private-key": "a private key", "putty-private-key": "a private key", "password-in-an-address": "a password"}
_HEADING = re.compile(rb"-----BEGIN (?![A-Z ]*PRIVATE)[^\n]*\n\Z")
"""Of a certificate or a public key: what follows is public."""

_WRITTEN_OUT = re.compile(
    rb"""(?:\\(?:u00[0-7][0-9A-Fa-f]|x1[bB]\[[0-9;]{0,20}[A-Za-z]|(?:033|e)\[[0-9;]{0,20}[A-Za-z]|[nrtbf])"""
    rb"""|\x1b\[[0-9;?]{0,20}[@-~]|%[0-7][0-9A-Fa-f]|&#?\w{1,8};|[\x00-\x08\x0e-\x1f]+)++"""
)
"""How JSON, a URL or a log writes a line break, a colour or a quote: a rule would take it for part of the next word."""
_ITALIC = re.compile(rb"(?<![\w.=-])(_{1,3})([\w.=-]*[A-Za-z0-9=-])\1(?![\w.=-])", re.ASCII)

GUESSED_UP_TO = 1_000_000
"""Bytes of the longest text that is also guessed about: guessing is slow, and nobody reads a longer message."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The place of a secret in a text, in characters."""

    start: int
    end: int
    kind: str = "a key"


def find_secrets(text: str, *, guessing: bool = False) -> tuple[Secret, ...]:
    """Find what looks like a secret, in the order of the text and without overlaps.

    The time is linear in the length of the text. `guessing` also finds what is only likely to be one.
    """
    data = text.encode("utf-8", "replace")
    spans = list(_spans(data, guessing))
    opened = _ITALIC.sub(_blanked, _WRITTEN_OUT.sub(lambda each: b" " * len(each[0]), data))
    if opened != data:
        spans += _spans(opened, guessing)
    found = _apart(sorted(spans, key=lambda each: (each.start, -each.end)))
    return tuple(_in_characters(data, found)) if len(data) != len(text) else tuple(found)


def _spans(data: bytes, guessing: bool) -> Iterator[Secret]:  # noqa: FBT001 - beside its one caller
    for rule in rules().worth_trying(data):
        if (guessing and len(data) <= GUESSED_UP_TO) or not rule.guess:
            kind = _KINDS.get(rule.id, "a key")
            yield from (Secret(*span, kind) for span in rule.spans(data) if not _is_public(rule, data, span))


def _blanked(italic: re.Match[bytes]) -> bytes:
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


def _apart(found: Iterable[Secret]) -> list[Secret]:
    """Merge those that overlap."""
    apart: list[Secret] = []
    for each in found:
        if apart and each.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Secret(last.start, max(last.end, each.end), last.kind)
        else:
            apart.append(each)
    return apart


def _in_characters(data: bytes, found: Iterable[Secret]) -> Iterator[Secret]:
    """Convert offsets in bytes to offsets in characters, in one pass."""
    at_byte = at = 0
    for each in found:
        start = at + len(data[at_byte : each.start].decode())
        at = start + len(data[each.start : each.end].decode())
        at_byte = each.end
        yield Secret(start, at, each.kind)
