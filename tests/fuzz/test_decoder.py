"""Tests that any output of a future or broken `claude` is read, applied and shown without a failure."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.events import decode
from bot.render.turns.turn import TurnView
from bot.transcript import Turn
from tests.bot.render.turns.scripted_turn import check
from tests.fuzz.time_limit import boxed

STREAMS = sorted((Path(__file__).parents[1] / "recordings").glob("*.jsonl"))
RECORDED = [line for path in STREAMS for line in path.read_bytes().splitlines() if line]

junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["text", "user", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Yield every place in a JSON value, including the value itself."""
    inner: list[tuple[Any, ...]] = [path]
    if isinstance(value, dict):
        for key, each in value.items():
            inner += places(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            inner += places(each, (*path, number))
    return inner


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return the value with something else at this place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@st.composite
def bent(draw: st.DrawFn) -> bytes:
    """Draw a recorded line with one thing changed."""
    line = json.loads(draw(st.sampled_from(RECORDED)))
    for _ in range(draw(st.integers(1, 3))):
        line = put(line, draw(st.sampled_from(places(line))), draw(junk))
    return json.dumps(line).encode()


def shown(lines: list[bytes]) -> None:
    turn = Turn(1, 0.0)
    view = TurnView(turn)
    for number, line in enumerate(lines):
        turn.apply(decode(line), float(number))
    check(view.messages({}))
    turn.close()
    check(view.messages({}))


@boxed(3000, among=3)
@given(st.binary(max_size=400))
@example(b"")
@example(b"\xff\xfe")
@example(b"{" * 5000)
@example(b'{"type": "result", "duration_ms": 1e400}')
@example(b"9" * 5000)
def test_any_bytes_are_read(line: bytes) -> None:
    shown([line])


@boxed(180, among=3)
@given(st.lists(bent() | st.sampled_from(RECORDED), min_size=1, max_size=12))
def test_lines_that_are_not_quite_right_are_read(lines: list[bytes]) -> None:
    shown(lines)


@boxed(1200, among=3)
@given(st.lists(st.sampled_from(RECORDED), min_size=1, max_size=30), st.integers(0, 10**6))
def test_lines_in_any_order_and_cut_anywhere_are_read(lines: list[bytes], cut: int) -> None:
    whole = b"\n".join(lines)
    shown(whole[: cut % (len(whole) + 1)].splitlines())


def test_there_is_something_recorded() -> None:
    if len(RECORDED) < 500:
        pytest.fail("the recordings are missing")
