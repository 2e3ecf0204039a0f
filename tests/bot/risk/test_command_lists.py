"""Tests the warnings with lists of dangerous and everyday commands by people who did not know the code."""

# ruff: noqa: T201 - whoever changes the table wants to see the figures

import tomllib
from pathlib import Path

import pytest

from bot.risk import RiskWarning
from tests.fixtures.tickets import permission_request

FOLDER = "/home/ada/project"
HERE = Path(__file__).parent
LEAST_RECALL, LEAST_RECALL_OF_A_KIND, MOST_FALSE_ALARMS = 0.95, 0.80, 0.02


LISTS = ("", "_more", "_unseen")
"""The lists the table was made with, was tested with and then changed for, and is only ever measured with."""
DANGEROUS, EVERYDAY = ([f"{which}{one}" for one in LISTS] for which in ("dangerous", "everyday"))


def corpus(name: str) -> dict[str, list[str]]:
    tables = tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))
    return {kind: table["commands"] for kind, table in tables.items()}


def judged(command: str) -> tuple[RiskWarning, ...]:
    return permission_request("Bash", {"command": command}).warnings


def warned(kinds: dict[str, list[str]]) -> dict[str, list[str]]:
    return {kind: [command for command in commands if judged(command)] for kind, commands in kinds.items()}


def share(some: dict[str, list[str]], all_of: dict[str, list[str]]) -> float:
    return sum(map(len, some.values())) / sum(map(len, all_of.values()))


@pytest.mark.parametrize("name", DANGEROUS)
def test_what_is_dangerous_is_warned_of(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    dangerous = corpus(name)
    assert len(dangerous) >= 20
    assert sum(map(len, dangerous.values())) >= 400
    found = warned(dangerous)
    missed = {kind: [one for one in commands if one not in found[kind]] for kind, commands in dangerous.items()}
    with capsys.disabled():
        print(f"\n{name}: recall {share(found, dangerous):.1%}")
        for kind, commands in dangerous.items():
            print(f"  {kind:32} {len(found[kind])}/{len(commands)}", *map(repr, missed[kind]))
    assert share(found, dangerous) >= LEAST_RECALL
    assert [kind for kind in dangerous if len(found[kind]) < LEAST_RECALL_OF_A_KIND * len(dangerous[kind])] == []


@pytest.mark.parametrize("name", EVERYDAY)
def test_what_is_ordinary_is_not_warned_of(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    everyday = corpus(name)
    assert sum(map(len, everyday.values())) >= 400
    found = warned(everyday)
    with capsys.disabled():
        print(f"\n{name}: false alarms {share(found, everyday):.1%}")
        for kind, commands in everyday.items():
            print(f"  {kind:32} {len(found[kind])}/{len(commands)}", *map(repr, found[kind]))
    assert share(found, everyday) <= MOST_FALSE_ALARMS


@pytest.mark.parametrize("name", DANGEROUS)
def test_a_warning_is_one_short_line(name: str) -> None:
    for commands in corpus(name).values():
        for command in commands:
            assert all("\n" not in str(one) and len(str(one)) <= 120 for one in judged(command))
