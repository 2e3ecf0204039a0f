"""Tests the early answers to the CLI's first questions, before `mcp` is loaded: as `mcp` would answer, or none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permission_mcp.handshake import response
from permission_mcp.tool_definitions import SERVER, TOOLS
from shared.protocol import FILE_TOOL, SERVER_NAME, TOOL_NAME
from tests.permission_mcp.fake_bot import FakeBot
from tests.permission_mcp.mcp_client import lines

ABOUT = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1.326"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def question(method: str = "tools/list", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": ABOUT}, **more}


@pytest.mark.parametrize("method", ["server/discover", "tools/list"])
async def test_the_answer_is_the_one_that_mcp_gives_later(away: FakeBot, method: str) -> None:
    async with lines(away.environment()) as server:
        await server.send(**question(method))
        early = await server.receive()
        unknown = {"name": "other", "arguments": {}, "_meta": ABOUT}
        await server.send(**question("tools/call", id=2, params=unknown))  # from here on `mcp` answers
        await server.receive()
        await server.send(**question(method))
        assert await server.receive() == early


@pytest.mark.parametrize(
    "other",
    [
        question("tools/call"),
        question(id=None),
        question(id=True),
        question(params={}),
        question(params={"_meta": ABOUT, "cursor": "2"}),
        question(params={"_meta": ABOUT | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}}),
        question(params={"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
        question(jsonrpc="1.0"),
        [question()],
    ],
    ids=str,
)
def test_whatever_is_not_quite_as_expected_is_left_to_mcp(other: Any) -> None:
    assert response(json.dumps(question()).encode()) is not None
    assert response(json.dumps(other).encode()) is None


@given(st.binary() | st.text().map(str.encode))
def test_no_line_can_make_it_fail(line: bytes) -> None:
    assert response(line) is None


def test_the_plain_tools_have_the_names_of_the_contract() -> None:
    assert [tool["name"] for tool in TOOLS] == [TOOL_NAME, FILE_TOOL]
    assert SERVER["name"] == SERVER_NAME
