"""Tests that it starts in any folder, fast, and with only MCP on stdout."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from shared.protocol import FILE_TOOL, SERVER_NAME, TOOL_NAME, Deny, Request
from tests.permission_mcp.fake_bot import BOUND, ROOT, FakeBot
from tests.permission_mcp.mcp_client import approve, call_arguments, client, lines


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_both_eras_of_the_protocol_find_the_tools(away: FakeBot, mode: str) -> None:
    async with client(away.environment(), mode=mode) as session:
        [tool, send] = (await session.list_tools()).tools
    assert send.name == FILE_TOOL
    assert send.output_schema is None
    assert tool.name == TOOL_NAME
    assert set(tool.input_schema["required"]) == set(Request.model_fields)
    assert tool.output_schema is None
    assert tool.meta == {"anthropic/maxResultSizeChars": 500_000}


async def test_it_answers_the_discovery_that_newer_clis_begin_with(away: FakeBot) -> None:
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1.326"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    async with lines(away.environment()) as server:
        await server.send(id=1, method="server/discover", params={"_meta": envelope})
        found = (await server.receive())["result"]
    assert "2026-07-28" in found["supportedVersions"]
    assert "tools" in found["capabilities"]
    assert SERVER_NAME in json.dumps(found)


async def test_folders_of_the_users_project_are_never_imported(bot: FakeBot, tmp_path: Path) -> None:
    for name in ("shared", "permission_mcp", "mcp", "pydantic"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the wrong folder')")
    for name in ("asyncio.py", "sitecustomize.py", "signal.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong file')")
    async with client(bot.environment(), cwd=tmp_path) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        (await bot.next()).decide(Deny(message="ours"))
    assert answer.result()["message"] == "ours"


async def test_nothing_but_json_rpc_is_on_stdout_and_nothing_on_stderr(bot: FakeBot) -> None:
    async with lines(bot.environment()) as server:
        await server.initialize()
        assert server.process.stdin is not None
        server.process.stdin.write(b'not json\n\n[]\n{"jsonrpc":"2.0"}\n\xff\xfe\n')
        await server.send(method="notifications/unheard_of")
        await server.send(id=1, method="tools/call", params={"name": "other", "arguments": {}})
        await server.send(id=2, method="no/such/method")
        await server.send(id=3, method="tools/call", params={})
        await server.send(id=4, method="ping")
        answers = {message["id"]: message for message in [await server.receive() for _ in range(4)]}
        assert set(answers) == {1, 2, 3, 4}
        assert "other" in answers[1]["error"]["message"]
        assert {"error"} <= answers[2].keys() & answers[3].keys()
        assert await server.rest() == ("", "")


async def test_it_leaves_nothing_open_that_python_would_warn_about(bot: FakeBot) -> None:
    async with lines(bot.environment(PYTHONDEVMODE="1")) as server:
        await server.initialize()
        await server.ask(1, call_arguments())
        (await bot.next()).decide(Deny(message="no"))
        assert (await server.receive())["id"] == 1
        await server.ask(2, call_arguments())
        await bot.next()
        await server.send(method="notifications/cancelled", params={"requestId": 2})
        await server.send(id=3, method="ping")
        assert (await server.receive())["id"] == 3
        assert await server.rest() == ("", "")


async def test_it_loads_nothing_that_mcp_does_not_load_anyway(tmp_path: Path) -> None:
    script = (
        "import sys, mcp.server.stdio, mcp.server.lowlevel; before = set(sys.modules); import permission_mcp.server;"
        "print(*sorted(set(sys.modules) - before))"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-c", script),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
    )
    async with asyncio.timeout(BOUND):
        loaded, _ = await process.communicate()
    ours = {name for name in loaded.decode().split() if name.split(".")[0] in {"permission_mcp", "shared"}}
    assert set(loaded.decode().split()) == ours
