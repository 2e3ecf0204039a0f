"""Tests that the endpoint refuses everyone but our own programs with a live run, in one sentence."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bot import config
from bot.claude.local_host import LocalHost
from bot.conversations.conversation_parts import Ports
from bot.conversations.conversations import Conversations
from bot.conversations.request_files import RequestFiles
from bot.conversations.run_token import hash_token
from bot.decisions.desk import Desk
from bot.errors import BotError
from bot.local_api import permission_routes, server
from bot.ports import Channel
from bot.projects.projects import Projects
from bot.records import ConversationRecord, RunRecord
from bot.store import Store
from shared.protocol import ASK_ROUTE

LIVING, ENDED, ORPHANED = "living-token", "ended-token", "orphaned-token"
WISH = {"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1"}
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Endpoint:
    address: str
    file: Path
    conversations: Conversations

    async def post(self, body: bytes, headers: dict[str, str], path: str = ASK_ROUTE) -> tuple[int, Any]:
        """Send exactly these bytes, and return the whole answer."""
        host, port = self.address.removeprefix("http://").split(":")
        lines = {"Host": f"{host}:{port}", "Content-Length": str(len(body)), "Connection": "close"} | headers
        head = f"POST {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(head.encode("latin-1") + b"\r\n" + body)
            await writer.drain()
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
        top, _, content = answer.partition(b"\r\n\r\n")
        return int(top.split()[1]), json.loads(content)


def unreachable(thread: int) -> AbstractAsyncContextManager[Channel]:
    raise AssertionError(f"a refused request reached thread {thread}")


@pytest.fixture
async def endpoint(tmp_path: Path) -> AsyncIterator[Endpoint]:
    raw = {"people": {"users": [1]}, "projects": {"demo": {"folder": str(tmp_path), "channels": [2]}}}
    settings = config.check(raw, base=tmp_path, source="the test's settings")
    with Store.open(tmp_path / "state.sqlite3") as store:
        store.add_conversation(ConversationRecord(3, "demo", "a thread", 0.0))
        run = RunRecord("a", 3, hash_token(LIVING), 0.0)
        store.add_run(run)
        store.add_run(replace(run, id="b", token_hash=hash_token(ENDED), ended_at=1.0))
        store.add_run(replace(run, id="c", token_hash=hash_token(ORPHANED), conversation=4))
        host = LocalHost(("claude",), tmp_path / "runs", tmp_path / "address", patience=60.0)
        projects = Projects(settings, store)
        ports = Ports(host, store, Desk(store), RequestFiles(host, projects))
        conversations = Conversations(ports, projects, store, unreachable)
        async with server.serve(permission_routes.routes(conversations), host.address_file) as address:
            yield Endpoint(address, host.address_file, conversations)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


WHOLE = json.dumps(WISH).encode()
REFUSED = {
    "no token": (401, JSON, WHOLE),
    "an empty token": (401, JSON | {"Authorization": "Bearer "}, WHOLE),
    "a wrong token": (401, JSON | bearer("guessed"), WHOLE),
    "a token that is no text": (401, JSON | bearer("\xff\xfe"), WHOLE),
    "another scheme": (401, JSON | {"Authorization": f"Basic {LIVING}"}, WHOLE),
    "a scheme that is no text": (401, JSON | {"Authorization": f"\xff {LIVING}"}, WHOLE),
    "a finished run": (410, JSON | bearer(ENDED), WHOLE),
    "no content type": (415, bearer(LIVING), WHOLE),
    "a form": (415, bearer(LIVING) | {"Content-Type": "application/x-www-form-urlencoded"}, WHOLE),
    "a text": (415, bearer(LIVING) | {"Content-Type": "text/plain"}, WHOLE),
    "an empty body": (400, JSON | bearer(LIVING), b""),
    "a body that is not JSON": (400, JSON | bearer(LIVING), b"tool_name=Bash"),
    "a body that breaks off": (400, JSON | bearer(LIVING), WHOLE[:-9]),
    "a body that is not UTF-8": (400, JSON | bearer(LIVING), b'{"tool_name": "\xff"}'),
    "half a character": (400, JSON | bearer(LIVING), WHOLE.replace(b"ls", b"\\ud83d")),
    "another thing than a request": (400, JSON | bearer(LIVING), b'{"tool_name": "Bash"}'),
    "a deep nest": (400, JSON | bearer(LIVING), b"[" * 100_000),
    "a foreign host": (403, JSON | bearer(LIVING) | {"Host": "evil.example:80"}, WHOLE),
    "a host that only looks like loopback": (403, JSON | bearer(LIVING) | {"Host": "127.0.0.1.evil.example"}, WHOLE),
    "no host": (403, JSON | bearer(LIVING) | {"Host": ""}, WHOLE),
    "a web page": (403, JSON | bearer(LIVING) | {"Origin": "http://localhost"}, WHOLE),
    "a web page without a name": (403, JSON | bearer(LIVING) | {"Origin": "null"}, WHOLE),
}


@pytest.mark.parametrize(("status", "headers", "body"), REFUSED.values(), ids=REFUSED)
async def test_it_is_refused_with_one_sentence(
    endpoint: Endpoint, status: int, headers: dict[str, str], body: bytes
) -> None:
    code, answer = await endpoint.post(body, headers)
    assert code == status
    assert list(answer) == ["error"]
    assert answer["error"].endswith(".")
    assert "\n" not in answer["error"]
    assert LIVING not in answer["error"]


async def test_another_address_is_not_there(endpoint: Endpoint) -> None:
    code, answer = await endpoint.post(WHOLE, JSON | bearer(LIVING), path="/")
    assert (code, list(answer)) == (404, ["error"])


async def test_a_body_larger_than_any_file_is_refused_before_it_is_read(endpoint: Endpoint) -> None:
    headers = JSON | bearer(LIVING) | {"Content-Length": str(10**12)}
    host, port = endpoint.address.removeprefix("http://").split(":")
    head = f"POST {ASK_ROUTE} HTTP/1.1\r\nHost: {host}\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers.items())
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(head.encode() + b"\r\n")
        answer = await reader.readline()
        writer.close()
        await writer.wait_closed()
    assert b" 413 " in answer


async def test_a_request_whose_thread_is_gone_is_denied_with_a_sentence_for_claude(endpoint: Endpoint) -> None:
    code, answer = await endpoint.post(WHOLE, JSON | bearer(ORPHANED))
    assert code == 200
    assert answer["behavior"] == "deny"
    assert "no longer exists" in answer["message"]


async def test_the_address_can_be_read_by_its_owner_only(endpoint: Endpoint) -> None:
    assert endpoint.file.read_text() == endpoint.address
    assert endpoint.file.stat().st_mode & 0o077 == 0


async def test_a_port_that_is_taken_is_one_sentence_with_the_cure(endpoint: Endpoint, tmp_path: Path) -> None:
    port = int(endpoint.address.rsplit(":", 1)[1])
    with pytest.raises(BotError, match=rf"^Port {port} .* Choose another"):
        async with server.serve([], tmp_path / "other", port):
            pass
