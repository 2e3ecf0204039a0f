"""Tests that a tool is shown as running only after it was allowed."""

from bot.events import Assistant, ToolResult, ToolUse, User
from tests.bot.render.turns.scripted_turn import START, ScriptedTurn

CLOCK = f" · started <t:{int(START)}:R>"


def bash(number: int, command: str) -> ToolUse:
    return ToolUse(f"b{number}", "Bash", {"command": command})


def lines(scripted: ScriptedTurn) -> list[str]:
    return [line.removeprefix("-# ") for line in scripted.shown().splitlines() if "`" in line]


def test_of_several_calls_at_once_only_the_one_that_was_allowed_runs() -> None:
    scripted = ScriptedTurn()
    scripted.uses(bash(1, "make one"), bash(2, "make two"), bash(3, "make three"))
    scripted.asks("q1", "b1")
    scripted.waits(60)
    assert lines(scripted) == ["⏸ `$ make one`", "Next: `$ make two`", "Next: `$ make three`"]
    scripted.answers("q1")
    running = f" · started <t:{int(START) + 60}:R>"
    assert lines(scripted) == [f"Running `$ make one`{running}", "Next: `$ make two`", "Next: `$ make three`"]
    scripted.gets("b1")
    assert lines(scripted) == ["`$ make one` ✓", "Next: `$ make two`", "Next: `$ make three`"]
    scripted.asks("q2", "b2")
    assert lines(scripted) == ["`$ make one` ✓", "⏸ `$ make two`", "Next: `$ make three`"]
    scripted.answers("q2", allowed=False)
    scripted.gets("b2", "The user said no.", error=True)
    assert lines(scripted) == ["`$ make one` ✓", "`$ make two` · denied", "Next: `$ make three`"]
    scripted.asks("q3", "b3")
    scripted.ends()
    assert lines(scripted)[-1] == "`$ make three` · stopped"


def test_a_call_that_nobody_is_asked_about_runs_when_its_request_would_have_come() -> None:
    scripted = ScriptedTurn()
    scripted.uses(bash(1, "git status"), bash(2, "git log"))
    assert lines(scripted) == ["Next: `$ git status`", "Next: `$ git log`"]
    assert scripted.turn.next_unasked_at == START + 1
    scripted.waits(1)
    assert lines(scripted) == [f"Running `$ git status`{CLOCK}", "Next: `$ git log`"]
    assert scripted.turn.next_unasked_at is None
    scripted.waits(5)
    scripted.gets("b1")
    assert scripted.turn.next_unasked_at == START + 7
    scripted.waits(1)
    assert lines(scripted)[1] == f"Running `$ git log` · started <t:{int(START) + 6}:R>"


def test_a_call_that_a_rule_lets_pass_runs() -> None:
    scripted = ScriptedTurn()
    scripted.uses(bash(1, "npm test"))
    scripted.turn.allowed_by_rule("b1", "Bash(npm test)")
    assert lines(scripted) == [f"Running `$ npm test`{CLOCK}"]


def test_tools_that_the_cli_runs_next_to_each_other_run_together() -> None:
    scripted = ScriptedTurn()
    fetch = [ToolUse(f"w{n}", "WebFetch", {"url": f"https://example.com/{n}", "prompt": ""}) for n in (1, 2)]
    scripted.uses(*fetch, bash(1, "make"))
    scripted.waits(1)
    assert [line.partition(" ")[0] for line in lines(scripted)] == ["Fetching", "Fetching", "Next:"]


def test_a_plan_that_somebody_has_to_approve_is_named() -> None:
    scripted = ScriptedTurn()
    scripted.uses(ToolUse("p1", "ExitPlanMode", {"plan": "# Plan"}))
    scripted.asks("q1", "p1")
    assert "-# ⏸ Proposing a plan" in scripted.shown().splitlines()


def test_a_file_outside_that_somebody_has_to_allow_is_not_being_read() -> None:
    scripted = ScriptedTurn()
    scripted.uses(ToolUse("r1", "Read", {"file_path": "/etc/hosts"}))
    scripted.asks("q1", "r1")
    assert lines(scripted) == ["⏸ `/etc/hosts`"]
    scripted.answers("q1")
    assert lines(scripted) == ["Reading `/etc/hosts`"]


def test_a_subagents_call_waits_for_its_yes_too() -> None:
    scripted = ScriptedTurn()
    scripted.uses(ToolUse("a1", "Agent", {"description": "Look into it"}))
    scripted.apply(Assistant("s1", "m", (bash(1, "make one"),), parent="a1"))
    scripted.apply(Assistant("s2", "m", (bash(2, "make two"),), parent="a1"))
    assert lines(scripted) == ["> Next: `$ make one`"]
    scripted.asks("q1", "b1")
    scripted.waits(60)
    assert lines(scripted) == ["> ⏸ `$ make one`"]
    scripted.answers("q1")
    assert lines(scripted) == ["> Running `$ make one`"]
    scripted.apply(User((ToolResult("b1", is_error=False, text=""),), parent="a1"))
    assert lines(scripted) == ["> Next: `$ make two`"]
    scripted.asks("q2", "b2")
    assert lines(scripted) == ["> ⏸ `$ make two`"]
    scripted.answers("q2")
    assert lines(scripted) == ["> Running `$ make two`"]
