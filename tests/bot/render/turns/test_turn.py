"""Tests how a turn looks while it runs and when it is over; review the golden files by eye."""

from bot.events import (
    ApiRetry,
    Assistant,
    StatusChange,
    TaskEnded,
    TaskProgress,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ToolUse,
)
from bot.render.turns.text_lines import LONG
from bot.render.turns.turn import TurnView
from tests.bot.render.turns.scripted_turn import START, ScriptedTurn, check, judged


def bash(id_: str, command: str) -> ToolUse:
    return ToolUse(id_, "Bash", {"command": command})


def read(id_: str, path: str) -> ToolUse:
    return ToolUse(id_, "Read", {"file_path": path})


def edit(id_: str, path: str) -> ToolUse:
    return ToolUse(id_, "Edit", {"file_path": path, "old_string": "a", "new_string": "b"})


def patch(added: int, removed: int) -> dict[str, object]:
    return {"structuredPatch": [{"lines": ["+x"] * added + ["-y"] * removed + [" z"]}]}


def test_a_bug_is_found_and_fixed():
    scripted, seen = ScriptedTurn(), []
    seen.append(scripted.shown())
    scripted.says("I'll look at the failing test first.")
    scripted.uses(read("r1", "/project/tests/test_app.py"))
    seen.append(scripted.shown())
    scripted.gets("r1", "…")
    scripted.uses(ToolUse("g1", "Grep", {"pattern": "parse_args", "path": "/project/src"}))
    scripted.gets("g1", "…", numFiles=3)
    scripted.uses(bash("b1", "npm test"))
    scripted.waits(1)
    seen.append(scripted.shown())
    output = "\n".join([f"  ✓ case {n}" for n in range(60)] + ["  ✗ keeps the last token", "", "1 of 61 failed"])
    scripted.gets("b1", f"Exit code 1\n\x1b[31m{output}\x1b[0m", error=True, after=41)
    scripted.says("The parser drops the last token when the line ends with a comment. I'll fix it there.")
    scripted.uses(edit("e1", "/project/src/app.py"))
    scripted.asks("q1", "e1")
    seen.append(scripted.shown())
    scripted.answers("q1")
    scripted.gets("e1", "ok", **patch(12, 3))
    scripted.uses(bash("b2", "npm test"))
    scripted.gets("b2", "ok", after=95)
    scripted.says("All 61 tests pass now. The cause was in `tokens()`: it stopped at the comment sign.")
    scripted.ends()
    seen.append(scripted.shown())
    judged("a-bug-is-found-and-fixed", seen)


def test_forty_reads_are_one_line_that_counts():
    scripted, seen = ScriptedTurn(), []
    for n in range(40):
        scripted.uses(read(f"r{n}", f"/project/src/module_{n}.py"))
        if n in (2, 20):
            seen.append(scripted.shown())
        scripted.gets(f"r{n}", "gone", error=n == 30)
    scripted.uses(ToolUse("g", "Glob", {"pattern": "**/*.md"}))
    scripted.gets("g", numFiles=12)
    scripted.says("I have read it all.")
    scripted.ends()
    seen.append(scripted.shown())
    judged("forty-reads", seen)


def test_subagents_work_beside_the_text():
    scripted, seen = ScriptedTurn(), []
    scripted.says("Two agents will look at it.")
    tests = ToolUse("a1", "Agent", {"description": "Explore the tests", "prompt": "…"})
    review = ToolUse("a2", "Agent", {"description": "Review the parser", "run_in_background": True})
    scripted.uses(tests, review)
    scripted.gets("a2", "launched", status="async_launched")
    scripted.apply(Assistant("s1", "m", (bash("x1", "pytest -q"),), parent="a1"))
    scripted.apply(Assistant("s2", "m", (TextBlock("The parser has three entry points.\nMore."),), parent="a2"))
    scripted.apply(TaskProgress("k2", "a2", "Reading", tool_uses=4))
    seen.append(scripted.shown())
    scripted.gets("a1", "done", after=41, totalToolUseCount=12, totalDurationMs=41_000)
    scripted.says("The first one is back; the second goes on.")
    scripted.ends()
    seen.append(scripted.shown())
    scripted.apply(TaskEnded("k2", "a2", "completed", "Three findings.", tool_uses=31, duration_ms=125_000))
    seen.append(scripted.shown())
    judged("subagents", seen)


def test_the_to_do_list_is_one_message_that_changes():
    def todos(*states: str) -> ToolUse:
        names = ["Read the code", "Change the parser", "Run the tests"]
        rows = [
            {"content": name, "status": state, "activeForm": name.replace("Change", "Changing")}
            for name, state in zip(names, states, strict=True)
        ]
        return ToolUse(f"t{states}", "TodoWrite", {"todos": rows})

    scripted, seen = ScriptedTurn(), []
    scripted.says("Three steps.")
    scripted.uses(todos("completed", "in_progress", "pending"))
    seen.append(scripted.shown())
    scripted.uses(edit("e", "/project/parser.py"))
    scripted.gets("e", **patch(1, 1))
    scripted.uses(todos("completed", "completed", "in_progress"))
    seen.append(scripted.shown())
    scripted.uses(todos("completed", "completed", "completed"))
    scripted.says("Done.")
    scripted.ends()
    seen.append(scripted.shown())
    judged("to-do-list", seen)


def test_an_answer_beyond_a_handful_of_messages_goes_on_in_a_file():
    text = "\n\n".join(f"## Part {n}\n\n" + "A sentence about this part of it. " * 12 for n in range(70))
    assert len(text) > 28_000
    scripted = ScriptedTurn()
    scripted.begins()
    for start in range(0, len(text), 997):
        scripted.apply(TextDelta(0, text[start : start + 997]))
        check(scripted.view.messages({}))
    assert "still writing" in scripted.shown()
    scripted.apply(*scripted.finishes(TextBlock(text)))
    scripted.ends()
    messages = scripted.view.messages({})
    assert 5 <= len(messages) <= 7
    assert [file.content for message in messages for file in message.files] == [text.encode()]
    assert messages[0].text.startswith("## Part 0")
    assert f"the full answer is attached: {len(text):,} characters" in messages[-1].text
    inside = scripted.turn.items[0].text[:LONG]  # type: ignore[union-attr]
    assert sum(len(message.text) for message in messages) > len(inside) * 0.9


def test_a_card_stands_below_its_tool_and_the_text_goes_on_below_the_card():
    scripted = ScriptedTurn()
    scripted.says("I'll clean up.")
    scripted.uses(bash("b1", "rm -r build"), bash("b2", "rm -r dist"))
    scripted.asks("q1", "b1")
    assert [message.key for message in scripted.view.messages(scripted.cards)] == ["0", "card-q1", "1"]
    assert "Waiting for you" in scripted.shown()
    scripted.answers("q1", allowed=False)
    assert "Waiting for you" not in scripted.shown()
    scripted.gets("b1", "Not today.", error=True)
    scripted.asks("q2", "b2")
    scripted.answers("q2")
    scripted.gets("b2")
    scripted.says("Half of it is clean.")
    scripted.ends()
    judged("cards", [scripted.shown()])


def test_a_card_that_is_faster_than_its_tool_call_ends_up_in_its_place():
    early, late = ScriptedTurn(), ScriptedTurn()
    for scripted in (early, late):
        scripted.says("Now.")
        if scripted is early:
            scripted.asks("q", "b")
            assert [message.key for message in scripted.view.messages(scripted.cards)] == ["0", "card-q"]
        scripted.uses(bash("b", "make"))
        if scripted is late:
            scripted.asks("q", "b")
        scripted.answers("q")
        scripted.gets("b")
        scripted.says("Made.")
        scripted.ends()
    assert early.shown() == late.shown()


def test_the_footer_stands_at_the_bottom_even_below_a_card():
    scripted = ScriptedTurn()
    scripted.uses(bash("b", "rm -r /"))
    scripted.asks("q", "b")
    scripted.ends(is_error=True, terminal_reason="aborted_tools")
    assert [message.key for message in scripted.view.messages(scripted.cards)] == ["0", "card-q", "1"]
    assert scripted.view.messages(scripted.cards)[-1].text.startswith("-# Stopped")


def test_silence_never_looks_like_death():
    scripted = ScriptedTurn()
    assert f"-# Working · started <t:{int(START)}:R>" in scripted.shown()
    scripted.apply(ApiRetry(2, 10, 4000, 529, "overloaded"))
    assert f"-# The API is overloaded: trying again <t:{int(START) + 4}:R> (2 of 10)" in scripted.shown()
    scripted.says("Here.")
    assert "overloaded" not in scripted.shown()
    scripted.uses(bash("b", "make all"))
    scripted.waits(1)
    assert f"-# Running `$ make all` · started <t:{int(START)}:R>" in scripted.shown()
    scripted.gets("b")
    scripted.apply(StatusChange("compacting"))
    assert "-# Compacting the conversation" in scripted.shown()


def test_thinking_is_hidden_unless_wanted_and_then_a_spoiler():
    scripted = ScriptedTurn()
    scripted.begins()
    scripted.apply(*scripted.finishes(ThinkingBlock("What a || strange ` question"), TextBlock("Hello.")))
    assert "strange" not in scripted.shown()
    shown = TurnView(scripted.turn, thinking=True).messages({})
    assert shown[0].text.startswith("-# Thinking\n-# ||What a ¦¦ strange ' question||\nHello.")
