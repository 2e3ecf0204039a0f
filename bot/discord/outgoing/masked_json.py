"""Writes every request body that goes to Discord, and masks the secrets in its texts."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import hikari

from bot.masking import mask, shorten_tokens

UNMASKED_FIELDS = frozenset({"custom_id", "nonce", "token", "session_id", "id", "value"})
"""Fields that people don't read and that Discord must get, or send back, unchanged."""
CARD_TEXT = hikari.ComponentType.TEXT_DISPLAY
"""A card is masked when it is rendered. Here only tokens are shortened: people must see the rest to decide."""

_unmasked: ContextVar[bool] = ContextVar("unmasked", default=False)


@contextmanager
def without_masking() -> Iterator[None]:
    """Mask nothing inside the block: an owner asked for the original, and only they see the reply."""
    token = _unmasked.set(True)
    try:
        yield
    finally:
        _unmasked.reset(token)


def encode(body: Any) -> bytes:
    """Encode a request body as JSON; hikari uses this for every request."""
    return json.dumps(body if _unmasked.get() else _masked(body), separators=(",", ":")).encode()


def _masked(value: Any) -> Any:
    match value:
        case str():
            return mask(value)
        case Mapping():
            return _masked_fields(value)
        case list() | tuple():
            return [_masked(each) for each in value if not _is_secret_choice(each)]
        case _:
            return value


def _masked_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    kind = fields.get("type")
    masked = {key: each if key in UNMASKED_FIELDS else _masked(each) for key, each in fields.items()}
    if kind == CARD_TEXT and isinstance(text := fields.get("content"), str):
        masked["content"] = shorten_tokens(text)
    if kind == hikari.ComponentType.TEXT_INPUT and _is_secret(fields.get("value")):
        del masked["value"]  # a form would send the mask back as the value
    return masked


def _is_secret_choice(item: Any) -> bool:
    """Check whether this is an autocomplete choice whose value is a secret: Discord would show it once chosen."""
    return isinstance(item, Mapping) and set(item) >= {"name", "value"} and _is_secret(item["value"])


def _is_secret(value: Any) -> bool:
    return isinstance(value, str) and mask(value) != value
