"""Truncates text to a length as Discord counts it."""

from bot.text.hidden_characters import BLANKS, CLOSE, MAX_READ, OPEN


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as Discord's clients count it. It is never less than its servers count."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def truncate(text: str, limit: int) -> str:
    """Shorten a text to `limit`, with an ellipsis at the end."""
    return text if utf16_length(text) <= limit else head(text, limit - 1) + "…"


def head(text: str, limit: int) -> str:
    """Return the beginning of a text, without cutting one of our own `⟨…⟩`."""
    cut = text[: max(limit, 0)]
    while (over := utf16_length(cut) - limit) > 0 and cut:
        cut = cut[: -max(1, over // 2)]
    return cut[: cut.rfind(OPEN)] if cut.rfind(OPEN) > cut.rfind(CLOSE) else cut


def tail(text: str, limit: int) -> str:
    """Return the end of a text, without cutting one of our own `⟨…⟩`."""
    cut = text[len(text) - min(max(limit, 0), len(text)) :]
    while (over := utf16_length(cut) - limit) > 0 and cut:
        cut = cut[max(1, over // 2) :]
    opening, closing = cut.find(OPEN), cut.find(CLOSE)
    return cut[closing + 1 :] if closing >= 0 and (opening < 0 or closing < opening) else cut


def beginning(text: str) -> str:
    """Return the beginning of a text, which is long enough for any line."""
    return text if len(text) <= MAX_READ else text[:MAX_READ].rstrip(BLANKS) + "…"
