"""Tests that a request goes to the bot, and that Claude gets its decision."""

import asyncio
import json

import pytest
from aiohttp import web

from shared.protocol import MAX_BODY, Allow, Deny
from tests.permission_mcp.fake_bot import TOKEN, FakeBot
from tests.permission_mcp.mcp_client import approve, call_arguments, client, lines


async def test_an_allow_reaches_claude_with_its_input(bot: FakeBot) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments("Bash", "toolu_7", command="touch a")))
        asked = await bot.next()
        assert asked.request.tool_name == "Bash"
        assert asked.request.input == {"command": "touch a"}
        assert asked.request.tool_use_id == "toolu_7"
        assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
        assert asked.headers["Content-Type"] == "application/json"
        assert asked.headers["Host"].startswith("127.0.0.1:")
        asked.decide(Allow(updatedInput=asked.request.input))
    assert answer.result() == {"behavior": "allow", "updatedInput": {"command": "touch a"}}


async def test_an_edited_input_reaches_claude_as_it_is(bot: FakeBot) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments(command="rm -rf build")))
        (await bot.next()).decide(Allow(updatedInput={"command": "ls «ü» 🦀"}))
    assert answer.result() == {"behavior": "allow", "updatedInput": {"command": "ls «ü» 🦀"}}


async def test_claude_reads_the_reason_of_a_deny_word_for_word(bot: FakeBot) -> None:
    async with client(bot.environment(), mode="legacy") as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments(command="make")))
        (await bot.next()).decide(Deny(message="Use just, not make.", interrupt=True))
    assert answer.result() == {"behavior": "deny", "message": "Use just, not make.", "interrupt": True}


async def test_requests_at_the_same_time_wait_at_the_same_time_and_get_their_own_answers(bot: FakeBot) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answers = [tasks.create_task(approve(session, call_arguments("Read", f"toolu_{n}", n=n))) for n in range(20)]
        asked = [await bot.next() for _ in answers]
        for one in reversed(asked):
            one.decide(Deny(message=f"not {one.request.tool_use_id}"))
    assert [answer.result()["message"] for answer in answers] == [f"not toolu_{n}" for n in range(20)]


async def test_a_large_file_passes_in_both_directions(bot: FakeBot) -> None:
    content = "0123456789abcdeü" * (MAX_BODY // 17 - 10)  # ü is two bytes: just under the limit
    async with lines(bot.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments("Write", file_path="big.txt", content=content))
        asked = await bot.next()
        assert asked.request.input["content"] == content
        asked.decide(Allow(updatedInput=asked.request.input))
        [block] = (await server.receive())["result"]["content"]
        assert json.loads(block["text"])["updatedInput"]["content"] == content


async def test_a_file_beyond_the_limit_is_denied_and_the_next_request_goes_on(bot: FakeBot) -> None:
    async with lines(bot.environment()) as server:
        await server.initialize()
        await server.ask(1, call_arguments("Write", content="x" * (MAX_BODY + 1)))
        [block] = (await server.receive())["result"]["content"]
        assert "413" in json.loads(block["text"])["message"]
        await server.ask(2, call_arguments("Write", content="x"))
        (await bot.next()).decide(Deny(message="no"))
        assert (await server.receive())["id"] == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 500])
async def test_a_refusal_denies_with_the_bots_own_sentence_and_is_not_repeated(bot: FakeBot, status: int) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        refusal = web.json_response({"error": "This run has ended."}, status=status)
        (await bot.next()).respond(refusal)
    assert answer.result() == {"behavior": "deny", "message": "This run has ended.", "interrupt": False}
    assert bot.asked.empty()


@pytest.mark.parametrize(
    "response",
    [
        '{"behavior":"allow"}',
        '{"behavior":"maybe","message":"?"}',
        '{"updatedInput":{}}',
        '{"behavior":"allow","updatedInput":"rm"}',
        "[]",
        "null",
        "",
        "<html>",
        '{"behavior":"allow","updatedInput":{}} {}',
    ],
)
async def test_an_answer_that_is_no_decision_denies(bot: FakeBot, response: str) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        (await bot.next()).respond(web.Response(text=response, content_type="application/json"))
    assert answer.result()["behavior"] == "deny"
    assert "could not be read" in answer.result()["message"]


@pytest.mark.parametrize("refusal", ["<html>", '{"error":["x"]}', "", '"no"'])
async def test_a_refusal_without_a_sentence_denies_with_its_status(bot: FakeBot, refusal: str) -> None:
    async with client(bot.environment()) as session, asyncio.TaskGroup() as tasks:
        answer = tasks.create_task(approve(session, call_arguments()))
        (await bot.next()).respond(web.Response(text=refusal, status=418))
    assert answer.result()["behavior"] == "deny"
    assert "418" in answer.result()["message"]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"tool_name": "Bash", "input": {}}, {"tool_name": 1, "input": [], "tool_use_id": None}],
)
async def test_a_call_that_is_no_request_denies(bot: FakeBot, arguments: dict[str, object]) -> None:
    async with client(bot.environment()) as session:
        assert (await approve(session, arguments))["behavior"] == "deny"
    assert bot.asked.empty()


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 nonsense\r\n\r\n", b"x" * 100_000])
async def test_a_program_that_is_not_the_bot_cannot_decide(away: FakeBot, answer: bytes) -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as other:
        host, port = other.sockets[0].getsockname()
        away.write_address(f"http://{host}:{port}")
        async with client(away.environment()) as session:
            decision = await approve(session, call_arguments())
    assert decision["behavior"] == "deny"
    assert "other than claude-discord" in decision["message"]
