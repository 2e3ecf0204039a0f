"""Tests lines that the CLI can write and the `mcp` package can't read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permission_mcp.line_repair import request_id, without_lone_surrogates
from shared.protocol import Deny
from tests.permission_mcp.fake_bot import FakeBot
from tests.permission_mcp.mcp_client import call_arguments, lines

any_text = st.text(st.characters(exclude_categories=[]))  # including half characters


@given(any_text)
def test_only_halves_of_characters_are_replaced(text: str) -> None:
    as_utf8 = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert json.loads(without_lone_surrogates(json.dumps(text))) == as_utf8


@given(st.dictionaries(any_text, st.recursive(st.integers() | any_text, st.lists)), st.integers(min_value=0))
def test_the_id_is_found_wherever_it_stands(params: dict[str, object], number: int) -> None:
    params["id"] = -1
    assert request_id(json.dumps({"jsonrpc": "2.0", "params": params, "id": number})) == number
    assert request_id(json.dumps({"id": number, "jsonrpc": "2.0", "params": params})) == number
    assert request_id(json.dumps({"jsonrpc": "2.0", "params": params})) is None


async def test_half_an_emoji_is_asked_about_as_it_would_be_written(bot: FakeBot) -> None:
    async with lines(bot.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments("Write", content="a \ud83d b 🦀"))
        asked = await bot.next()
        assert asked.request.input == {"content": "a � b 🦀"}
        asked.decide(Deny(message="no"))
        assert (await server.receive())["id"] == 1


@pytest.mark.parametrize("depth", [300, 20_000])
async def test_an_input_nested_too_deeply_is_refused_and_the_next_request_goes_on(bot: FakeBot, depth: int) -> None:
    deep = f'{{"tool_name":"X","tool_use_id":"toolu_1","input":{"[" * depth}{"]" * depth}}}'
    async with lines(bot.environment()) as server:
        await server.initialize()
        assert server.process.stdin is not None
        call = f'{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"approve","arguments":{deep}}},"id":7}}\n'
        server.process.stdin.write(call.encode())
        answer = await server.receive()
        assert answer["id"] == 7
        assert "can't be read" in answer["error"]["message"]
        await server.ask(8, call_arguments())
        (await bot.next()).decide(Deny(message="no"))
        assert (await server.receive())["id"] == 8
