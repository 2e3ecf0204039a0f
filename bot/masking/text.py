"""Masking of what passes by: prose, output, names, lists, files."""

from collections.abc import Callable, Iterable

from bot.masking.cache import Cache
from bot.masking.find import Secret, find

MASKED = "…[masked]"
SHOWN = 4
"""Characters that stay, so that a person knows which secret it was."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def mask(text: str) -> str:
    """Give the text with every secret in it cut short; it never becomes longer."""
    return _known(text)


def mask_bytes(content: bytes, masking: Callable[[str], str] = mask) -> bytes:
    """Mask a file; what is no text in it stays as it is, byte for byte."""
    if content.startswith(_UTF_16):
        try:
            return masking(content.decode("utf-16")).encode("utf-16")
        except UnicodeDecodeError:
            pass
    return masking(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def replaced(text: str, secrets: Iterable[Secret], instead: Callable[[Secret], str]) -> str:
    """Put something in the place of each secret; all around it stays."""
    pieces: list[str] = []
    at = 0
    for secret in secrets:
        pieces += (text[at : secret.start], instead(secret))
        at = secret.end
    return "".join((*pieces, text[at:]))


def _mask(text: str) -> str:
    return replaced(text, find(text, guessing=True), lambda secret: _short(text[secret.start : secret.end]))


def _short(secret: str) -> str:
    if secret.startswith("-----BEGIN "):
        return "-----BEGIN " + MASKED
    return secret[:SHOWN] + MASKED if len(secret) > SHOWN + len(MASKED) else "…"


_known = Cache(_mask)
