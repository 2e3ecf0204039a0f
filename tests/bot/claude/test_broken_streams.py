"""Tests that every turn ends and its thread stays readable, whatever `claude` prints."""

import json
from pathlib import Path

import pytest

from sandbox.scripts.script import RawLine, Say, script
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import posts, scripted

MEGABYTES = 5_000_000
RESULT = {"type": "tool_result", "tool_use_id": "toolu_unseen", "content": "x" * MEGABYTES}

LINES = {
    "no JSON": RawLine("warning: this is no JSON \x1b[31m"),
    "half a line of JSON": RawLine('{"type": "assistant", "message": {"content": [{"type": "te'),
    "JSON that is no object": RawLine("[1, 2, 3]"),
    "an event of tomorrow": RawLine('{"type": "telepathy", "thought": {"deep": [1]}}'),
    "a system event of tomorrow": RawLine('{"type": "system", "subtype": "weather", "sky": "blue"}'),
    "an event without a type": RawLine('{"hello": "there"}'),
    "a known event of another shape": RawLine('{"type": "assistant", "message": {"content": "not a list"}}'),
    "a block of tomorrow": RawLine('{"type": "assistant", "message": {"content": [{"type": "smell", "of": "rain"}]}}'),
    "5 MB of garbage": RawLine("x", repeat=MEGABYTES),
    "an event of 5 MB": RawLine(json.dumps({"type": "telepathy", "thought": "x" * MEGABYTES})),
    "a tool's result of 5 MB": RawLine(json.dumps({"type": "user", "message": {"role": "user", "content": [RESULT]}})),
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
async def test_the_turn_goes_on_after(discord_server: DiscordServer, tmp_path: Path, line: RawLine) -> None:
    setup = scripted(discord_server, tmp_path, {"go": script([Say("Before."), line, Say("After.")])})
    async with setup.bot():
        thread = await setup.say("go")
        await setup.done(thread)
        text = setup.text(thread)
        assert text.index("Before.") < text.index("After.")
        assert "⚠️" not in text
        assert len(text) < 3000
        assert posts(setup) <= 4
