"""The one way out: every body that goes to Discord is written here, without the secrets in its texts."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import hikari

from bot.masking import mask, shorten_tokens

NAMES = frozenset({"custom_id", "nonce", "token", "session_id", "id", "value"})
"""Fields that nobody reads, and that must come back, or arrive, as they are."""
CARD_TEXT = hikari.ComponentType.TEXT_DISPLAY
"""Who draws a card has masked what is to be masked; what somebody decides on stays whole."""

_unmasked: ContextVar[bool] = ContextVar("unmasked", default=False)


@contextmanager
def unmasked() -> Iterator[None]:
    """Let what is sent inside the block go as it is: an owner has asked to see it, and nobody else does."""
    token = _unmasked.set(True)
    try:
        yield
    finally:
        _unmasked.reset(token)


def encode(body: Any) -> bytes:
    """Write a body as JSON; hikari has all its bodies written by this."""
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
        del masked["value"]  # masked in a form, it would come back as what was meant
    return masked


def _gives_away(item: Any) -> bool:
    """Whether it is a choice that can't be offered: its value is shown as soon as it is chosen."""
    return isinstance(item, Mapping) and set(item) >= {"name", "value"} and _is_secret(item["value"])


def _is_secret(value: Any) -> bool:
    return isinstance(value, str) and mask(value) != value
