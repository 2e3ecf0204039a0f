"""Reads what the CLI says it can do: its slash commands and skills, and the models to choose from."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.conversation_status import Capabilities, Capability


def decode(answer: Mapping[str, Any]) -> Capabilities:
    """Read the answer to `initialize`; what is not understood is left out."""
    commands = tuple(_each(answer.get("commands"), "name", "description"))
    return Capabilities(commands, tuple(_each(answer.get("models"), "value", "displayName")), described=bool(commands))


def _each(entries: object, name: str, about: str) -> Iterator[Capability]:
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case dict() if isinstance(entry.get(name), str) and entry[name]:
                told = entry.get(about)
                yield Capability(entry[name], told if isinstance(told, str) else "")
