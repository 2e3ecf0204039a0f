"""Tests what a rule for a kind of command allows and what it must not; see command_rule_attacks.toml."""

import tomllib
from pathlib import Path

import pytest

from bot.permission_requests.command_rules import KINDS
from bot.permission_requests.rule_offers import offers
from bot.permission_requests.rules import Rule, allows
from tests.fixtures.tickets import permission_request

ATTACKS = tomllib.loads(Path(__file__).with_name("command_rule_attacks.toml").read_text(encoding="utf-8"))
ANYTHING = ATTACKS.pop("anything")["asks"]
LEAST = 10


def passes(kind: str, command: str) -> bool:
    request = permission_request("Bash", {"command": command.replace("KIND", kind)})
    return allows(Rule("Bash", f"{kind}:*"), request)


@pytest.mark.parametrize("kind", ATTACKS)
def test_what_is_safe_to_vary_passes(kind: str) -> None:
    wanted = ATTACKS[kind]["passes"]
    assert [command for command in wanted if not passes(kind, command)] == []


@pytest.mark.parametrize("kind", ATTACKS)
def test_nothing_else_runs_by_the_arguments_of_a_kind(kind: str) -> None:
    assert len(ATTACKS[kind]["asks"]) >= LEAST
    assert [command for command in (*ATTACKS[kind]["asks"], *ANYTHING) if passes(kind, command)] == []


def test_every_kind_is_attacked() -> None:
    assert {kind.name for kind in KINDS} == {kind.replace("run lint", "run *") for kind in ATTACKS}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.varies])
def test_the_examples_on_an_offer_are_true(kind) -> None:
    request = permission_request("Bash", {"command": f"{kind.name} {kind.allows}"})
    offer = next(one for one in offers(request) if one.rule.content == f"{kind.name}:*")
    assert passes(kind.name, offer.allows)
    assert not passes(kind.name, offer.still_asks)


def test_a_word_that_is_only_quoted_is_the_same_word() -> None:
    assert passes("pytest", "pytest '--basetemp'=src") is False
    assert passes("pytest", "'pytest' \"-\"x") is True
    assert passes("pytest", "pytest -''p evil") is False
