"""How a turn reads while it goes on and when it is over; the golden files are there to be judged by eye."""

import os
from pathlib import Path

import pytest

from bot.claude.process_exit import process_exit
from bot.events import (
    ApiRetry,
    Assistant,
    RateLimit,
    StatusChange,
    TaskEnded,
    TaskProgress,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ToolUse,
)
from bot.render.turns.errors import process_died
from bot.render.turns.footer import model_name, outcome
from bot.render.turns.text_lines import LONG
from bot.render.turns.tool_lines import duration, path_in
from bot.render.turns.turn import TurnView
from tests.bot.render.turns.scripted_turn import START, Stage, check

GOLDEN = Path(__file__).parent / "golden"


def judged(name: str, stages: list[str]) -> None:
    shown = "\n=====\n\n".join(stages)
    golden = GOLDEN / f"{name}.md"
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(shown, "utf-8")
    assert shown == golden.read_text("utf-8")


def bash(id_: str, command: str) -> ToolUse:
    return ToolUse(id_, "Bash", {"command": command})


def read(id_: str, path: str) -> ToolUse:
    return ToolUse(id_, "Read", {"file_path": path})


def edit(id_: str, path: str) -> ToolUse:
    return ToolUse(id_, "Edit", {"file_path": path, "old_string": "a", "new_string": "b"})


def patch(added: int, removed: int) -> dict[str, object]:
    return {"structuredPatch": [{"lines": ["+x"] * added + ["-y"] * removed + [" z"]}]}


def test_a_bug_is_found_and_fixed():
    stage, seen = Stage(), []
    seen.append(stage.shown())
    stage.says("I'll look at the failing test first.")
    stage.uses(read("r1", "/project/tests/test_app.py"))
    seen.append(stage.shown())
    stage.gets("r1", "…")
    stage.uses(ToolUse("g1", "Grep", {"pattern": "parse_args", "path": "/project/src"}))
    stage.gets("g1", "…", numFiles=3)
    stage.uses(bash("b1", "npm test"))
    stage.waits(1)
    seen.append(stage.shown())
    output = "\n".join([f"  ✓ case {n}" for n in range(60)] + ["  ✗ keeps the last token", "", "1 of 61 failed"])
    stage.gets("b1", f"Exit code 1\n\x1b[31m{output}\x1b[0m", error=True, after=41)
    stage.says("The parser drops the last token when the line ends with a comment. I'll fix it there.")
    stage.uses(edit("e1", "/project/src/app.py"))
    stage.asks("q1", "e1")
    seen.append(stage.shown())
    stage.answers("q1")
    stage.gets("e1", "ok", **patch(12, 3))
    stage.uses(bash("b2", "npm test"))
    stage.gets("b2", "ok", after=95)
    stage.says("All 61 tests pass now. The cause was in `tokens()`: it stopped at the comment sign.")
    stage.ends()
    seen.append(stage.shown())
    judged("a-bug-is-found-and-fixed", seen)


def test_forty_reads_are_one_line_that_counts():
    stage, seen = Stage(), []
    for n in range(40):
        stage.uses(read(f"r{n}", f"/project/src/module_{n}.py"))
        if n in (2, 20):
            seen.append(stage.shown())
        stage.gets(f"r{n}", "gone", error=n == 30)
    stage.uses(ToolUse("g", "Glob", {"pattern": "**/*.md"}))
    stage.gets("g", numFiles=12)
    stage.says("I have read it all.")
    stage.ends()
    seen.append(stage.shown())
    judged("forty-reads", seen)


def test_subagents_work_beside_the_text():
    stage, seen = Stage(), []
    stage.says("Two agents will look at it.")
    tests = ToolUse("a1", "Agent", {"description": "Explore the tests", "prompt": "…"})
    review = ToolUse("a2", "Agent", {"description": "Review the parser", "run_in_background": True})
    stage.uses(tests, review)
    stage.gets("a2", "launched", status="async_launched")
    stage.apply(Assistant("s1", "m", (bash("x1", "pytest -q"),), parent="a1"))
    stage.apply(Assistant("s2", "m", (TextBlock("The parser has three entry points.\nMore."),), parent="a2"))
    stage.apply(TaskProgress("k2", "a2", "Reading", tool_uses=4))
    seen.append(stage.shown())
    stage.gets("a1", "done", after=41, totalToolUseCount=12, totalDurationMs=41_000)
    stage.says("The first one is back; the second goes on.")
    stage.ends()
    seen.append(stage.shown())
    stage.apply(TaskEnded("k2", "a2", "completed", "Three findings.", tool_uses=31, duration_ms=125_000))
    seen.append(stage.shown())
    judged("subagents", seen)


def test_the_to_do_list_is_one_message_that_changes():
    def todos(*states: str) -> ToolUse:
        names = ["Read the code", "Change the parser", "Run the tests"]
        rows = [
            {"content": name, "status": state, "activeForm": name.replace("Change", "Changing")}
            for name, state in zip(names, states, strict=True)
        ]
        return ToolUse(f"t{states}", "TodoWrite", {"todos": rows})

    stage, seen = Stage(), []
    stage.says("Three steps.")
    stage.uses(todos("completed", "in_progress", "pending"))
    seen.append(stage.shown())
    stage.uses(edit("e", "/project/parser.py"))
    stage.gets("e", **patch(1, 1))
    stage.uses(todos("completed", "completed", "in_progress"))
    seen.append(stage.shown())
    stage.uses(todos("completed", "completed", "completed"))
    stage.says("Done.")
    stage.ends()
    seen.append(stage.shown())
    judged("to-do-list", seen)


TABLES = """\
Narrow:

| File | Lines | Status |
|---|---:|---|
| app.py | 120 | **changed** |
| cli.py | 8 | `new` |

Wide:

| Name | What it does | Where it is used |
|---|---|---|
| `parse()` | reads a whole file and gives its tokens | src/app.py, src/cli.py |
| `emit()` | writes them, a \\| b | src/out.py |

Two columns:

| Option | Meaning |
|---|---|
| `--strict` | every warning is an error, and the run ends at the first one |
| `--quiet` | nothing is written |

Not a table: a | b
"""

MARKDOWN = """\
# A heading
#### A deep heading
Text with a loose ` backtick, a || b || c, and `code || here`.
>>> print("a prompt of Python's")
-# not our small print
Use ```` ```js ```` for that, or ```this```.

1. A list with code:
   ```python title="x"
   def f():
       return "```"
   ```
2. The end.

~~~
tildes
~~~
And an unclosed one:
```sh
echo never closed"""


def test_tables_become_what_discord_can_draw():
    stage = Stage()
    stage.says(TABLES)
    stage.ends()
    judged("tables", [stage.shown()])


def test_markdown_that_discord_would_misread_is_written_for_it():
    stage = Stage()
    stage.says(MARKDOWN)
    stage.uses(bash("b", "echo `date` | tee *_log_*"))
    stage.gets("b")
    stage.ends()
    judged("markdown", [stage.shown()])


def test_a_long_answer_splits_at_paragraphs_and_reopens_its_fences():
    paragraph = "The parser reads a token at a time and keeps the last one until it knows what follows. " * 6
    code = "```python\n" + "\n".join(f"def function_{n}(token):\n    return token + {n}\n" for n in range(60)) + "```"
    stage = Stage()
    stage.says(f"# What I found\n\n{paragraph}\n\n{paragraph}\n\n## The code\n\n{code}\n\n{paragraph}")
    stage.ends()
    check(stage.view.messages({}))
    judged("long-answer", [stage.shown()])


def test_an_answer_beyond_a_handful_of_messages_goes_on_in_a_file():
    text = "\n\n".join(f"## Part {n}\n\n" + "A sentence about this part of it. " * 12 for n in range(70))
    assert len(text) > 28_000
    stage = Stage()
    stage.begins()
    for start in range(0, len(text), 997):
        stage.apply(TextDelta(0, text[start : start + 997]))
        check(stage.view.messages({}))
    assert "still writing" in stage.shown()
    stage.apply(*stage.finishes(TextBlock(text)))
    stage.ends()
    messages = stage.view.messages({})
    assert 5 <= len(messages) <= 7
    assert [file.content for message in messages for file in message.files] == [text.encode()]
    assert messages[0].text.startswith("## Part 0")
    assert f"the whole answer is attached: {len(text):,} characters" in messages[-1].text
    inside = stage.turn.items[0].text[:LONG]  # type: ignore[union-attr]
    assert sum(len(message.text) for message in messages) > len(inside) * 0.9


def test_a_card_stands_below_its_tool_and_the_text_goes_on_below_the_card():
    stage = Stage()
    stage.says("I'll clean up.")
    stage.uses(bash("b1", "rm -r build"), bash("b2", "rm -r dist"))
    stage.asks("q1", "b1")
    assert [message.key for message in stage.view.messages(stage.cards)] == ["0", "card-q1", "1"]
    assert "Waiting for you" in stage.shown()
    stage.answers("q1", allowed=False)
    assert "Waiting for you" not in stage.shown()
    stage.gets("b1", "Not today.", error=True)
    stage.asks("q2", "b2")
    stage.answers("q2")
    stage.gets("b2")
    stage.says("Half of it is clean.")
    stage.ends()
    judged("cards", [stage.shown()])


def test_a_card_that_is_faster_than_its_tool_call_ends_up_in_its_place():
    early, late = Stage(), Stage()
    for stage in (early, late):
        stage.says("Now.")
        if stage is early:
            stage.asks("q", "b")
            assert [message.key for message in stage.view.messages(stage.cards)] == ["0", "card-q"]
        stage.uses(bash("b", "make"))
        if stage is late:
            stage.asks("q", "b")
        stage.answers("q")
        stage.gets("b")
        stage.says("Made.")
        stage.ends()
    assert early.shown() == late.shown()


def test_the_footer_stands_at_the_bottom_even_below_a_card():
    stage = Stage()
    stage.uses(bash("b", "rm -r /"))
    stage.asks("q", "b")
    stage.ends(is_error=True, terminal_reason="aborted_tools")
    assert [message.key for message in stage.view.messages(stage.cards)] == ["0", "card-q", "1"]
    assert stage.view.messages(stage.cards)[-1].text.startswith("-# Stopped")


def test_silence_never_looks_like_death():
    stage = Stage()
    assert f"-# Working · started <t:{int(START)}:R>" in stage.shown()
    stage.apply(ApiRetry(2, 10, 4000, 529, "overloaded"))
    assert f"-# The API is overloaded: trying again <t:{int(START) + 4}:R> (2 of 10)" in stage.shown()
    stage.says("Here.")
    assert "overloaded" not in stage.shown()
    stage.uses(bash("b", "make all"))
    stage.waits(1)
    assert f"-# Running `$ make all` · started <t:{int(START)}:R>" in stage.shown()
    stage.gets("b")
    stage.apply(StatusChange("compacting"))
    assert "-# Compacting the conversation" in stage.shown()


def test_thinking_is_hidden_unless_wanted_and_then_a_spoiler():
    stage = Stage()
    stage.begins()
    stage.apply(*stage.finishes(ThinkingBlock("What a || strange ` question"), TextBlock("Hello.")))
    assert "strange" not in stage.shown()
    shown = TurnView(stage.turn, thinking=True).messages({})
    assert shown[0].text.startswith("-# Thinking\n-# ||What a ¦¦ strange ' question||\nHello.")


def test_the_footer_tells_the_limits_and_when_one_that_is_near_resets():
    stage = Stage()
    stage.says("Done.")
    stage.apply(RateLimit("allowed_warning", "five_hour", START, 0.91), RateLimit("allowed", "seven_day", START, 0.2))
    stage.apply(RateLimit("allowed", "seven_day_opus", START, None))
    stage.ends()
    told = stage.shown()
    assert f"context 15% · 5-hour limit 91%, resets <t:{int(START)}:R> · weekly limit 20%" in told
    assert told.count("<t:") == 1
    assert "Opus limit" not in told


def test_a_reached_limit_says_when_it_resets():
    stage = Stage()
    stage.apply(RateLimit("rejected", "five_hour", START + 3600, 1.0))
    stage.apply(Assistant("x", "<synthetic>", (TextBlock("You've hit your limit"),), error="rate_limit"))
    stage.ends(is_error=True)
    assert f"**The 5-hour limit is reached.** It resets <t:{int(START) + 3600}:R>" in stage.shown()


def test_a_turn_costs_what_it_added():
    stage = Stage(cost=1.0)
    stage.says("Done.")
    stage.ends(cost=1.25)
    assert "$0.25" in stage.shown()


def test_a_process_that_died_says_so_with_the_end_of_its_stderr():
    stage = Stage()
    stage.says("I'll beg")
    stage.turn.fail(process_died(process_exit(-9, "one\ntwo\n```\nthree\n")))
    check(stage.view.messages({}))
    assert stage.shown().startswith(
        "<!-- 0 -->\nI'll beg\n⚠️ **Claude's process ended in the middle of the turn (SIGKILL).**"
    )
    assert "three" in stage.shown()
    assert "Working" not in stage.shown()
    assert outcome(stage.turn) == "Claude's process ended"


@pytest.mark.parametrize(
    ("status", "stderr", "words"),
    [
        (1, "", "(exit 1).** The session is kept: write again to go on."),
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


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "under 1 s"), (41, "41 s"), (59.7, "1 min"), (95, "1 min 35 s"), (1260, "21 min"), (7500, "2 h 5 min")],
)
def test_a_span_of_time_is_said_as_one_says_it(seconds: float, words: str):
    assert duration(seconds) == words


def test_paths_are_seen_from_the_project():
    assert path_in("/project/src/app.py", "/project") == "src/app.py"
    assert path_in("/projects/app.py", "/project") == "/projects/app.py"
    assert path_in("C:\\work\\app.py", "C:\\work") == "app.py"
