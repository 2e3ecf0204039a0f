"""Tests that a panel with many projects fits Discord's limits."""

from bot.config import People
from bot.render.replies.panel import ProjectSummary, RunningThread, panel
from tests.fixtures.message_limits import broken


def test_many_projects_fit_discords_limits() -> None:
    live = tuple(
        RunningThread(2**62 + n, "x" * 80, "waiting", ("mcp__a_server__a_tool" * 5,) * 9, 1e9, 99) for n in range(30)
    )
    rows = [ProjectSummary(f"{n}".rjust(80, "W"), People(), tuple(range(9)), 10**6, 1e6, live) for n in range(40)]
    messages = panel(rows, ["a note " * 400] * 9)
    assert [message.key for message in messages] == [f"panel-{n}" for n in range(6)]
    for message in messages:
        assert broken(message) == []
    assert panel([])[0].components
