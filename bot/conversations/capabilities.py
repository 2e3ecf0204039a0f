"""What the CLI says that it can do: its slash commands and skills, and the models to choose from."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ability:
    name: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Abilities:
    commands: tuple[Ability, ...] = ()
    models: tuple[Ability, ...] = ()


def decode(answer: Mapping[str, Any]) -> Abilities:
    """Read the answer to `initialize`; what is not understood is left out."""
    return Abilities(
        commands=tuple(_each(answer.get("commands"), "name", "description")),
        models=tuple(_each(answer.get("models"), "value", "displayName")),
    )


def _each(entries: object, name: str, about: str) -> Iterator[Ability]:
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case dict() if isinstance(entry.get(name), str) and entry[name]:
                told = entry.get(about)
                yield Ability(entry[name], told if isinstance(told, str) else "")
