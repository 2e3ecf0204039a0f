import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.events import (
    ApiRetry,
    Assistant,
    ControlResponse,
    Garbage,
    Init,
    RateLimit,
    Result,
    StatusChange,
    TextBlock,
    TextDelta,
    ToolUse,
    Unknown,
    UnknownBlock,
    User,
    decode,
)

STREAMS = sorted((Path(__file__).parents[2] / "recordings").glob("*.jsonl"))
LINES = [line for path in STREAMS for line in path.read_bytes().splitlines()]
EXPECTED_UNKNOWN = {"system/thinking_tokens", "stream_event/content_block_delta"}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_everything_that_the_real_cli_wrote_is_understood(path: Path):
    for raw in path.read_bytes().splitlines():
        event = decode(raw)
        assert not isinstance(event, Garbage)
        if isinstance(event, Unknown):
            assert event.kind in EXPECTED_UNKNOWN


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail(raw: bytes):
    decode(raw)
    decode(b"{" + raw)


@given(st.sampled_from(LINES), st.data())
def test_a_known_line_with_any_field_of_any_shape_is_still_an_event(raw: bytes, data: st.DataObject):
    def bent(value: Any) -> Any:
        if isinstance(value, dict) and value:
            key = data.draw(st.sampled_from(sorted(value)))
            return {**value, key: bent(value[key]) if data.draw(st.booleans()) else data.draw(anything)}
        if isinstance(value, list) and value:
            return [bent(value[0]), *value[1:]]
        return data.draw(anything)

    decode(json.dumps(bent(json.loads(raw))).encode())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"warning: something",
        b"[1, 2]",
        b"{",
        b'{"type": "result"',
        b'{"a": ' + b"[" * 200_000,
        b'{"a": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_json_object_is_garbage_and_kept_short(raw: bytes):
    event = decode(raw)
    assert isinstance(event, Garbage)
    assert len(event.line) <= 2000


def test_broken_utf8_costs_a_character_and_not_the_line():
    event = decode(b'{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"a\xffb"}]}}')
    assert isinstance(event, Assistant)
    assert event.blocks == (TextBlock("a\ufffdb"),)


def test_half_a_character_is_replaced_and_both_halves_are_one():
    delta = rb'{"type":"text_delta","text":"%s"}'
    raw = rb'{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":' + delta + b"}}"
    assert decode(raw % rb"a\ud83d") == TextDelta(0, "a\ufffd")
    assert decode(raw % rb"\ud83d\ude00") == TextDelta(0, "😀")


def test_an_unknown_block_does_not_lose_its_line():
    blocks = [
        {"type": "text", "text": "before"},
        {"type": "hologram", "depth": 3},
        7,
        {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
    ]
    event = decode(line(type="assistant", message={"id": "m", "content": blocks}))
    assert isinstance(event, Assistant)
    text, hologram, number, use = event.blocks
    assert text == TextBlock("before")
    assert hologram == UnknownBlock("hologram", {"type": "hologram", "depth": 3})
    assert number == UnknownBlock("", 7)
    assert use == ToolUse("t", "Bash", {"command": "ls"})


def test_an_unknown_type_keeps_all_it_said():
    event = decode(line(type="oracle", answer=42))
    assert event == Unknown("oracle", {"type": "oracle", "answer": 42})
    assert decode(line(type="system", subtype="dream", depth=1)).kind == "system/dream"  # type: ignore[union-attr]


def test_a_line_of_five_megabytes_is_a_line():
    content = "x" * 5_000_000
    event = decode(
        line(
            type="assistant",
            message={"content": [{"type": "tool_use", "id": "t", "name": "Write", "input": {"content": content}}]},
        )
    )
    assert isinstance(event, Assistant)
    assert event.blocks == (ToolUse("t", "Write", {"content": content}),)


def test_a_refusal_is_told_with_its_decision_and_its_reason():
    refused = [decode(raw) for raw in _stream("denied.jsonl")]
    results = [event.results for event in refused if isinstance(event, User) and event.results]
    assert [(r.text, r.is_error, r.decision, r.not_run) for (r,) in results] == [
        ("Not on a Friday.", True, "reject", "permission-rule")
    ]


def test_a_mode_change_and_a_retry_are_told():
    assert StatusChange(None, "default") in [decode(raw) for raw in _stream("plan.jsonl")]
    retry = next(e for e in map(decode, _stream("overloaded.jsonl")) if isinstance(e, ApiRetry))
    assert (retry.attempt, retry.status, retry.error) == (1, 529, "overloaded")


def test_the_result_of_a_turn_tells_what_it_took():
    result = next(e for e in map(decode, _stream("denied.jsonl")) if isinstance(e, Result))
    assert not result.is_error
    assert result.text == "Then I won't."
    assert result.num_turns == 2
    assert result.cost is not None
    assert [denial.tool_name for denial in result.denials] == ["Bash"]
    assert set(result.context_windows.values()) == {1_000_000}


def test_init_tells_the_folder_the_model_and_the_servers():
    init = next(e for e in map(decode, _stream("text.jsonl")) if isinstance(e, Init))
    assert init.cwd == "/project"
    assert init.model.startswith("claude-")
    assert [server.name for server in init.mcp_servers] == ["discord"]
    assert "Bash" in init.tools


def test_limits_and_answers_to_control_requests_are_read():
    info = {"status": "allowed_warning", "rateLimitType": "five_hour", "utilization": 0.9, "resetsAt": 17e8}
    assert decode(line(type="rate_limit_event", rate_limit_info=info)) == RateLimit(
        "allowed_warning", "five_hour", 17e8, 0.9
    )
    response = {"subtype": "error", "request_id": "x", "error": "no"}
    assert decode(line(type="control_response", response=response)) == ControlResponse(
        "x", ok=False, response={}, error="no"
    )


def _stream(name: str) -> list[bytes]:
    return next(path for path in STREAMS if path.name == name).read_bytes().splitlines()
