"""Tests that hold for any text, any order of events and any split into pieces."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.events import (
    ApiRetry,
    Assistant,
    BlockStarted,
    BlockStopped,
    CommandOutput,
    Compacted,
    Event,
    Init,
    MessageStarted,
    Remark,
    Result,
    StatusChange,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    TaskUpdated,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ThinkingDelta,
    ToolResult,
    ToolUse,
    UnknownBlock,
    Usage,
    User,
)
from bot.messages import Message
from bot.render.turns.text_lines import LONG
from bot.render.turns.turn import TurnView
from bot.transcript import Turn
from tests.bot.render.turns.scripted_turn import START, ScriptedTurn, check, in_one_piece, written
from tests.fixtures.strategies import ANY_MARKDOWN


def cuts(text: str, places: list[int]) -> list[str]:
    edges = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(edges)] or [text]


@given(ANY_MARKDOWN, st.lists(st.integers(0, 100_000), max_size=12), st.integers(0, 3))
@settings(deadline=None)
def test_the_end_is_the_same_however_the_text_was_cut(text: str, places: list[int], every: int):
    scripted = ScriptedTurn()
    scripted.begins()
    for number, piece in enumerate(cuts(text, places)):
        scripted.apply(TextDelta(0, piece))
        if every and number % every == 0:
            check(scripted.view.messages({}))
    scripted.apply(*scripted.finishes(TextBlock(text)), BlockStopped(0))
    scripted.ends()
    assert written(scripted.view.messages({})) == written(in_one_piece(text))


@given(ANY_MARKDOWN, st.lists(st.integers(0, 100_000), max_size=8), st.integers(0, 8))
@settings(deadline=None)
def test_a_follower_that_joins_late_ends_with_the_whole_text(text: str, places: list[int], missed: int):
    scripted = ScriptedTurn()
    scripted.begins()
    scripted.apply(*(TextDelta(0, piece) for piece in cuts(text, places)[missed:]))
    scripted.view.messages({})
    scripted.apply(*scripted.finishes(TextBlock(text)))
    scripted.ends()
    assert written(scripted.view.messages({})) == written(in_one_piece(text))


ids = st.sampled_from(["t1", "t2", "t3", "t4", "t5"])
parents = st.sampled_from([None, None, None, "t1", "t9"])
short = st.sampled_from(["", "a", "```", "text\n\nmore", "`", "x" * 1500, "line\n" * 90, "y" * (LONG + 1)])
names = st.sampled_from(
    ["Bash", "Read", "Grep", "Edit", "Agent", "Task", "TodoWrite", "TaskCreate", "TaskUpdate", "Odd"]
)
inputs = st.fixed_dictionaries(
    {},
    optional={
        "command": short,
        "file_path": short,
        "description": short,
        "todos": st.lists(st.fixed_dictionaries({"content": short, "status": st.just("pending")}), max_size=40),
        "taskId": ids,
        "status": st.sampled_from(["completed", "deleted", "odd"]),
    },
)
uses = st.builds(ToolUse, ids, names, inputs)
blocks = st.builds(TextBlock, short) | st.builds(ThinkingBlock, short) | uses | st.just(UnknownBlock("odd", {}))
structures = st.none() | st.fixed_dictionaries({}, optional={"backgroundTaskId": ids, "totalToolUseCount": st.just(3)})
results = st.builds(
    ToolResult, ids, st.booleans(), short, structures, st.sampled_from(["", "accept", "reject"]), st.just("")
)
indexes = st.integers(0, 2)
messages = st.sampled_from(["m1", "m2", "m3"])
uuids = st.sampled_from(["", "u1", "u2", "u3"])
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(MessageStarted, messages, st.just("m"), st.just(Usage()), parents),
    st.builds(BlockStarted, indexes, st.just("text"), parents),
    st.builds(TextDelta, indexes, short, parents),
    st.builds(ThinkingDelta, indexes, short, parents),
    st.builds(BlockStopped, indexes, parents),
    st.builds(
        Assistant,
        messages,
        st.just("m"),
        st.lists(blocks, max_size=3).map(tuple),
        parent=parents,
        error=st.sampled_from(["", "", "", "overloaded"]),
        uuid=uuids,
        supersedes=st.lists(uuids, max_size=1).map(tuple),
    ),
    st.builds(User, st.lists(results, max_size=2).map(tuple), parent=parents),
    st.builds(Init, st.just("s"), st.just("/p"), st.sampled_from(["a", "b"]), st.just("plan")),
    st.builds(StatusChange, st.sampled_from([None, "compacting"]), st.sampled_from([None, "default"])),
    st.builds(Compacted, st.just("auto"), st.just(100), st.just(10)),
    st.builds(ApiRetry, st.just(1), st.just(3), st.just(500.0), st.just(529), st.just("overloaded")),
    st.builds(Remark, short, retracted=st.lists(uuids, max_size=1).map(tuple)),
    st.builds(CommandOutput, short),
    st.builds(TaskStarted, ids, ids, short, st.sampled_from(["local_agent", "local_bash"])),
    st.builds(TaskProgress, ids, ids, short, st.integers(0, 5), short),
    st.builds(TaskUpdated, ids, st.sampled_from(["completed", "running"])),
    st.builds(TaskEnded, ids, ids, st.sampled_from(["completed", "failed", "odd"]), short),
    st.builds(Result, st.just("success"), st.booleans(), short),
)
cards = st.tuples(st.sampled_from(["c1", "c2", "c3"]), st.sampled_from(["", "t1", "t2", "t7"]))


@given(st.lists(events | cards, max_size=30), st.booleans())
@settings(deadline=None)
def test_any_order_of_events_makes_messages_that_fit_and_looking_changes_nothing(
    story: list[Event | tuple[str, str]],
    thinking: bool,  # noqa: FBT001 - Hypothesis passes it
):
    turn = Turn(started_at=START)
    view = TurnView(turn, thinking=thinking)
    standing = {f"c{n}": Message(f"card-c{n}", text="May I?") for n in (1, 2, 3)}
    for step in story:
        if isinstance(step, tuple):
            turn.place_card(*step)
        else:
            turn.apply(step, START + 1)
        shown = view.messages(standing)
        check(shown)
        assert shown == TurnView(turn, thinking=thinking).messages(standing)


@given(st.lists(events, max_size=30))
@settings(deadline=None)
def test_the_same_events_always_make_the_same_turn(story: list[Event]):
    def told() -> str:
        turn = Turn(started_at=START)
        for event in story:
            turn.apply(event, START + 1)
        return written(TurnView(turn).messages({}))

    assert told() == told()
