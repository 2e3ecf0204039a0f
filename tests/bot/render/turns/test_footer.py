"""Tests the footer of a turn: limits, cost and the model's name."""

import pytest

from bot.events import (
    RateLimit,
)
from bot.render.turns.footer import model_name
from tests.bot.render.turns.scripted_turn import START, ScriptedTurn


def test_the_footer_tells_the_limits_and_when_one_that_is_near_resets():
    scripted = ScriptedTurn()
    scripted.says("Done.")
    scripted.apply(
        RateLimit("allowed_warning", "five_hour", START, 0.91), RateLimit("allowed", "seven_day", START, 0.2)
    )
    scripted.apply(RateLimit("allowed", "seven_day_opus", START, None))
    scripted.ends()
    told = scripted.shown()
    assert f"context 15% · 5-hour limit 91%, resets <t:{int(START)}:R> · weekly limit 20%" in told
    assert told.count("<t:") == 1
    assert "Opus limit" not in told


def test_a_turn_costs_what_it_added():
    scripted = ScriptedTurn(cost=1.0)
    scripted.says("Done.")
    scripted.ends(cost=1.25)
    assert "$0.25" in scripted.shown()


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-opus-5-5", "Opus 5.5"),
        ("claude-sonnet-4-20250514", "Sonnet 4"),
        ("claude-opus-4-5-20251101", "Opus 4.5"),
        ("claude-3-5-haiku-20241022", "Haiku 3.5"),
        ("claude-sonnet-4-5[1m]", "Sonnet 4.5"),
        ("my-own-model", "my-own-model"),
    ],
)
def test_a_model_is_called_by_its_name(model: str, name: str):
    assert model_name(model) == name
