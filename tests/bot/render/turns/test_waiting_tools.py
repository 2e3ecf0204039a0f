"""A tool is shown as running when it was let through, and not before."""

from bot.events import Assistant, ToolResult, ToolUse, User
from tests.bot.render.turns.scripted_turn import START, Stage

CLOCK = f" · started <t:{int(START)}:R>"


def bash(number: int, command: str) -> ToolUse:
    return ToolUse(f"b{number}", "Bash", {"command": command})


def lines(stage: Stage) -> list[str]:
    return [line.removeprefix("-# ") for line in stage.shown().splitlines() if "`" in line]


def test_of_several_calls_at_once_only_the_one_that_was_allowed_runs() -> None:
    stage = Stage()
    stage.uses(bash(1, "make one"), bash(2, "make two"), bash(3, "make three"))
    stage.asks("q1", "b1")
    stage.waits(60)
    assert lines(stage) == ["⏸ `$ make one`", "Next: `$ make two`", "Next: `$ make three`"]
    stage.answers("q1")
    running = f" · started <t:{int(START) + 60}:R>"
    assert lines(stage) == [f"Running `$ make one`{running}", "Next: `$ make two`", "Next: `$ make three`"]
    stage.gets("b1")
    assert lines(stage) == ["`$ make one` ✓", "Next: `$ make two`", "Next: `$ make three`"]
    stage.asks("q2", "b2")
    assert lines(stage) == ["`$ make one` ✓", "⏸ `$ make two`", "Next: `$ make three`"]
    stage.answers("q2", allowed=False)
    stage.gets("b2", "The user said no.", error=True)
    assert lines(stage) == ["`$ make one` ✓", "`$ make two` · denied", "Next: `$ make three`"]
    stage.asks("q3", "b3")
    stage.ends()
    assert lines(stage)[-1] == "`$ make three` · stopped"


def test_a_call_that_nobody_is_asked_about_runs_when_its_request_would_have_come() -> None:
    stage = Stage()
    stage.uses(bash(1, "git status"), bash(2, "git log"))
    assert lines(stage) == ["Next: `$ git status`", "Next: `$ git log`"]
    assert stage.turn.next_unasked == START + 1
    stage.waits(1)
    assert lines(stage) == [f"Running `$ git status`{CLOCK}", "Next: `$ git log`"]
    assert stage.turn.next_unasked is None
    stage.waits(5)
    stage.gets("b1")
    assert stage.turn.next_unasked == START + 7
    stage.waits(1)
    assert lines(stage)[1] == f"Running `$ git log` · started <t:{int(START) + 6}:R>"


def test_a_call_that_a_rule_lets_pass_runs() -> None:
    stage = Stage()
    stage.uses(bash(1, "npm test"))
    stage.turn.passed("b1", "Bash(npm test)")
    assert lines(stage) == [f"Running `$ npm test`{CLOCK}"]


def test_tools_that_the_cli_runs_next_to_each_other_run_together() -> None:
    stage = Stage()
    fetch = [ToolUse(f"w{n}", "WebFetch", {"url": f"https://example.com/{n}", "prompt": ""}) for n in (1, 2)]
    stage.uses(*fetch, bash(1, "make"))
    stage.waits(1)
    assert [line.partition(" ")[0] for line in lines(stage)] == ["Fetching", "Fetching", "Next:"]


def test_a_plan_that_somebody_has_to_approve_is_named() -> None:
    stage = Stage()
    stage.uses(ToolUse("p1", "ExitPlanMode", {"plan": "# Plan"}))
    stage.asks("q1", "p1")
    assert "-# ⏸ Proposing a plan" in stage.shown().splitlines()


def test_a_file_outside_that_somebody_has_to_allow_is_not_being_read() -> None:
    stage = Stage()
    stage.uses(ToolUse("r1", "Read", {"file_path": "/etc/hosts"}))
    stage.asks("q1", "r1")
    assert lines(stage) == ["⏸ `/etc/hosts`"]
    stage.answers("q1")
    assert lines(stage) == ["Reading `/etc/hosts`"]


def test_a_subagents_call_waits_for_its_yes_too() -> None:
    stage = Stage()
    stage.uses(ToolUse("a1", "Agent", {"description": "Look into it"}))
    stage.apply(Assistant("s1", "m", (bash(1, "make one"),), parent="a1"))
    stage.apply(Assistant("s2", "m", (bash(2, "make two"),), parent="a1"))
    assert lines(stage) == ["> Next: `$ make one`"]
    stage.asks("q1", "b1")
    stage.waits(60)
    assert lines(stage) == ["> ⏸ `$ make one`"]
    stage.answers("q1")
    assert lines(stage) == ["> Running `$ make one`"]
    stage.apply(User((ToolResult("b1", is_error=False, text=""),), parent="a1"))
    assert lines(stage) == ["> Next: `$ make two`"]
    stage.asks("q2", "b2")
    assert lines(stage) == ["> ⏸ `$ make two`"]
    stage.answers("q2")
    assert lines(stage) == ["> Running `$ make two`"]
