"""Tests that no matter how often the bot is killed, nothing is lost or shown twice and no process is left."""

from pathlib import Path

import pytest

from tests.chaos.chaos_run import Plan, run
from tests.chaos.checker import breaches
from tests.chaos.disabled_mechanisms import MECHANISMS
from tests.chaos.prompt_authors import KINDS


@pytest.mark.timeout(0)
async def test_nothing_is_lost_however_often_the_bot_is_killed(
    request: pytest.FixtureRequest, tmp_path: Path, real_claude: Path
) -> None:
    kills = request.config.getoption("--kills", None) or 30
    seed = request.config.getoption("--seed", None) or 7
    outcome = await run(Plan(seed, kills, prompts=max(4, kills // 8)), tmp_path, real_claude)
    print(f"{outcome.kills} kills in {outcome.seconds:.0f} s")  # noqa: T201 - for `pytest -s`, and docs/reliability.md
    found = "\n".join([*outcome.notes, *breaches(outcome.evidence)])
    assert not found, f"{found}\nThe threads are in {tmp_path}/threads.txt, the bots' words in bot.log beside it."


@pytest.mark.timeout(180)
@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_the_checker_complains_when_a_mechanism_is_switched_off(
    mechanism: str, tmp_path: Path, real_claude: Path
) -> None:
    # Long answers, because this one only matters in the second between Claude's last word and its last message.
    kinds = ("talk",) if mechanism == "showing again" else KINDS
    for seed in range(7, 12):  # not every run kills the bot when the mechanism is needed
        folder = tmp_path / str(seed)
        folder.mkdir()
        plan = Plan(
            seed, kills=8, scripted=6, real=0, prompts=2, kinds=kinds, faults=False, quiet=3.0, without=mechanism
        )
        outcome = await run(plan, folder, real_claude)
        if breaches(outcome.evidence):
            return
    pytest.fail(f"forty kills without {mechanism} went unnoticed")
