"""Masks texts that need no decision: prose, output, names, lists and files."""

from collections.abc import Callable, Iterable

from bot.masking.cache import Cache
from bot.masking.detection import Secret, find_secrets

MASKED = "…[masked]"
SHOWN = 4
"""Characters that stay visible, so that a person can tell which secret it is."""
UTF_16_SAMPLE = 4096
"""Bytes that are read to recognize UTF-16."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def mask(text: str) -> str:
    """Shorten every secret in a text. The text never becomes longer."""
    return _cached(text)


def mask_bytes(content: bytes) -> bytes:
    """Mask a file without guessing, because the file should still work. Binary content is not changed."""
    if content.startswith(_UTF_16):
        try:
            return _mask(content.decode("utf-16"), guessing=False).encode("utf-16")
        except UnicodeDecodeError:
            pass
    for half, wide in ((1, "utf-16-be"), (0, "utf-16-le")):  # without a byte order mark
        start = content[1 - half : UTF_16_SAMPLE : 2]
        if len(content) % 2 == 0 and start.count(0) * 2 > len(start):
            content = _mask(content.decode(wide, "surrogatepass"), guessing=False).encode(wide, "surrogatepass")
    text = content.decode("utf-8", "surrogateescape")
    return _mask(text, guessing=False).encode("utf-8", "surrogateescape")


def replace_secrets(text: str, secrets: Iterable[Secret], replacement: Callable[[Secret], str]) -> str:
    """Return the text with each secret replaced."""
    pieces: list[str] = []
    at = 0
    for secret in secrets:
        pieces += (text[at : secret.start], replacement(secret))
        at = secret.end
    return "".join((*pieces, text[at:]))


def _mask(text: str, *, guessing: bool = True) -> str:
    return replace_secrets(
        text, find_secrets(text, guessing=guessing), lambda secret: _shortened(text[secret.start : secret.end])
    )


def _shortened(secret: str) -> str:
    if secret.startswith("-----BEGIN "):
        return "-----BEGIN " + MASKED
    return secret[:SHOWN] + MASKED if len(secret) > SHOWN + len(MASKED) else "…"


_cached = Cache(_mask)
