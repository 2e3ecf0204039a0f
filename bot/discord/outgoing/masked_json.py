"""Writes every request body that goes to Discord, and masks the secrets in its texts."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import hikari

from bot.masking import mask, shorten_tokens

NAMES = frozenset({"custom_id", "nonce", "token", "session_id", "id", "value"})
"""Fields that people don't read, and that must arrive or come back unchanged."""
CARD_TEXT = hikari.ComponentType.TEXT_DISPLAY
"""Cards are masked when they are drawn; what somebody decides on stays whole."""

_unmasked: ContextVar[bool] = ContextVar("unmasked", default=False)


@contextmanager
def unmasked() -> Iterator[None]:
    """Mask nothing inside the block: an owner has asked to see the original, and only they see it."""
    token = _unmasked.set(True)
    try:
        yield
    finally:
        _unmasked.reset(token)


def encode(body: Any) -> bytes:
    """Write a body as JSON; hikari uses this for all its bodies."""
    return json.dumps(body if _unmasked.get() else _masked(body), separators=(",", ":")).encode()


def _masked(value: Any) -> Any:
    match value:
        case str():
            return mask(value)
        case Mapping():
            return _fields(value)
        case list() | tuple():
            return [_masked(each) for each in value if not _gives_away(each)]
        case _:
            return value


def _fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    kind = fields.get("type")
    masked = {key: each if key in NAMES else _masked(each) for key, each in fields.items()}
    if kind == CARD_TEXT and isinstance(text := fields.get("content"), str):
        masked["content"] = shorten_tokens(text)
    if kind == hikari.ComponentType.TEXT_INPUT and _is_secret(fields.get("value")):
        del masked["value"]  # masked in a form, the mask would come back as the value
    return masked


def _gives_away(item: Any) -> bool:
    """Whether it is a choice whose value is a secret: Discord would show it once it is chosen."""
    return isinstance(item, Mapping) and set(item) >= {"name", "value"} and _is_secret(item["value"])


def _is_secret(value: Any) -> bool:
    return isinstance(value, str) and mask(value) != value
