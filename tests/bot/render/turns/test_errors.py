"""Tests that a failed turn says why, and what to do about it."""

import pytest

from bot.claude.exit_cause import process_exit
from bot.events import (
    Assistant,
    RateLimit,
    TextBlock,
)
from bot.render.turns.footer import outcome
from bot.render.turns.process_died import process_died
from tests.bot.render.turns.scripted_turn import START, ScriptedTurn, check


def test_a_reached_limit_says_when_it_resets():
    scripted = ScriptedTurn()
    scripted.apply(RateLimit("rejected", "five_hour", START + 3600, 1.0))
    scripted.apply(Assistant("x", "<synthetic>", (TextBlock("You've hit your limit"),), error="rate_limit"))
    scripted.ends(is_error=True)
    assert f"**The 5-hour limit is reached.** It resets <t:{int(START) + 3600}:R>" in scripted.shown()


def test_a_process_that_died_says_so_with_the_end_of_its_stderr():
    scripted = ScriptedTurn()
    scripted.says("I'll beg")
    scripted.turn.fail(process_died(process_exit(-9, "one\ntwo\n```\nthree\n")))
    check(scripted.view.messages({}))
    assert scripted.shown().startswith(
        "<!-- 0 -->\nI'll beg\n⚠️ **Claude's process ended in the middle of the turn (SIGKILL).**"
    )
    assert "three" in scripted.shown()
    assert "Working" not in scripted.shown()
    assert outcome(scripted.turn) == "Claude's process ended"


@pytest.mark.parametrize(
    ("status", "stderr", "words"),
    [
        (1, "", "(exit 1).** The session is kept. Send a message to continue."),
        (143, "", "(SIGTERM)"),
        (None, "Invalid API key · Please run /login", "type `/login`"),
        (127, "claude: not found", "Check that `claude`"),
        (1, "x" * 100_000, "…"),
    ],
)
def test_how_it_died_comes_with_a_cure(status: int | None, stderr: str, words: str):
    told = process_died(process_exit(status, stderr))
    assert words in told
    assert len(told) < 1800
