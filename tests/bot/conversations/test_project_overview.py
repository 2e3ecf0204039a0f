"""Tests what a project's overview counts as today."""

from bot.conversations.project_overview import midnight


def test_a_day_begins_at_midnight() -> None:
    assert 0 <= 1_790_000_000 - midnight(1_790_000_000) < 25 * 3600
