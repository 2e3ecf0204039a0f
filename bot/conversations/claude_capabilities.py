"""Reads the slash commands, skills and models that the CLI lists."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.conversation_status import Capabilities, Capability


def decode(answer: Mapping[str, Any]) -> Capabilities:
    """Read the answer to `initialize`, skipping entries of an unknown shape."""
    commands = tuple(_read_entries(answer.get("commands"), "name", "description"))
    models = tuple(_read_entries(answer.get("models"), "value", "displayName"))
    return Capabilities(commands, models, described=bool(commands))


def _read_entries(entries: object, name: str, about: str) -> Iterator[Capability]:
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case dict() if isinstance(entry.get(name), str) and entry[name]:
                description = entry.get(about)
                yield Capability(entry[name], description if isinstance(description, str) else "")
