"""Tests that the bot notices immediately when a wait ends, and that no process is left."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from shared.protocol import Deny
from tests.permission_mcp.fake_bot import BOUND, FakeBot, HeldRequest
from tests.permission_mcp.mcp_client import COMMAND, call_arguments, lines


async def withdrawn(asked: HeldRequest) -> None:
    async with asyncio.timeout(BOUND):
        await asked.gone.wait()


async def test_a_cancelled_request_is_withdrawn_at_the_bot_and_others_go_on(bot: FakeBot) -> None:
    async with lines(bot.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments(use="toolu_1"))
        first = await bot.next()
        await server.ask(2, call_arguments(use="toolu_2"))
        second = await bot.next()
        await server.send(method="notifications/cancelled", params={"requestId": 1, "reason": "interrupted"})
        await withdrawn(first)
        assert not second.gone.is_set()
        second.decide(Deny(message="no"))
        assert (await server.receive())["id"] == 2
        assert await server.rest() == ("", "")


async def test_a_request_that_looks_for_the_bot_can_be_cancelled(away: FakeBot) -> None:
    async with lines(away.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments(use="toolu_1"))
        await server.send(method="notifications/cancelled", params={"requestId": 1})
        await server.send(id=2, method="ping")
        assert (await server.receive())["id"] == 2
        await away.start()
        await server.ask(3, call_arguments(use="toolu_3"))
        assert (await away.next()).request.tool_use_id == "toolu_3"


async def test_the_end_of_stdin_ends_it_and_withdraws_what_was_open(bot: FakeBot) -> None:
    async with lines(bot.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments())
        asked = await bot.next()
        _, errors = await server.rest()
        await withdrawn(asked)
        assert await server.ended() == 0
        assert errors == ""


async def test_the_end_of_stdin_before_the_first_request_ends_it(away: FakeBot) -> None:
    async with lines(away.environment()) as server:
        assert await server.rest() == ("", "")
        assert await server.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_a_signal_ends_it_and_withdraws_what_was_open(bot: FakeBot, number: signal.Signals) -> None:
    async with lines(bot.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments())
        asked = await bot.next()
        server.process.send_signal(number)
        assert await server.ended() == -number
        await withdrawn(asked)
        assert await server.rest() == ("", "")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="a parent is watched by a pidfd")
async def test_it_dies_with_its_parent_even_when_its_stdin_stays_open(bot: FakeBot, tmp_path: Path) -> None:
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:])\n"  # shares our stdin and stdout
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "child.wait()\n"
    )
    theirs, ours = os.pipe()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(parent), *COMMAND),
        stdin=theirs,
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        env={**os.environ, **bot.environment()},
    )
    os.close(theirs)
    try:
        assert process.stderr is not None
        async with asyncio.timeout(BOUND):
            child = os.pidfd_open(int(await process.stderr.readline()))
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        for message in (
            {"id": 0, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 1, "method": "tools/call", "params": {"name": "approve", "arguments": call_arguments()}},
        ):
            os.write(ours, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        asked = await bot.next()
        process.kill()
        dead = asyncio.Event()
        asyncio.get_running_loop().add_reader(child, dead.set)
        async with asyncio.timeout(BOUND):
            await dead.wait()
        asyncio.get_running_loop().remove_reader(child)
        os.close(child)
        await withdrawn(asked)
    finally:
        os.close(ours)
        if process.returncode is None:
            process.kill()
        await process.communicate()
