"""Tests that the owner's routes of the endpoint accept only the owner's token."""

import socket
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.conversations.run_token import hash_token
from bot.errors import NotDone, NotRunning
from bot.local_api import client, owner_protocol
from bot.local_api.client import BotClient
from bot.records import ConversationRecord, RunRecord
from shared.protocol import ASK_ROUTE
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

RUN_TOKEN = "the-token-of-a-run"
JSON = {"Content-Type": "application/json"}
STOP = b'{"name": "demo"}'


@dataclass(frozen=True)
class Front:
    """A client of the endpoint."""

    setup: BotSetup
    address: str
    token: str

    async def ask(self, method: str, route: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, Any]:
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, self.address + route, headers=headers, data=body or None) as response,
        ):
            return response.status, await response.json()


@pytest.fixture
async def front(discord_server: DiscordServer, tmp_path: Path) -> AsyncIterator[Front]:
    setup = scripted(discord_server, tmp_path, {})
    async with setup.bot() as running:
        running.store.add_conversation(ConversationRecord(3, "demo", "a thread", 0.0))
        running.store.add_run(RunRecord("a", 3, hash_token(RUN_TOKEN), 0.0))
        yield Front(setup, (setup.state / "address").read_text(), (setup.state / "admin").read_text())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


ROUTES = [
    ("GET", owner_protocol.SESSIONS_ROUTE),
    ("POST", owner_protocol.SAY_ROUTE),
    ("POST", owner_protocol.FOLLOW_ROUTE),
    ("POST", owner_protocol.STOP_ROUTE),
    ("POST", owner_protocol.RESTART_ROUTE),
]


@pytest.mark.parametrize(("method", "route"), ROUTES)
async def test_without_the_owners_token_every_route_is_closed(front: Front, method: str, route: str) -> None:
    for headers in ({}, bearer(""), bearer("guessed"), bearer(RUN_TOKEN), {"Authorization": f"Basic {front.token}"}):
        status, answer = await front.ask(method, route, JSON | headers, STOP)
        assert (status, answer) == (401, {"error": "The token is not the owner's."})


async def test_the_owners_token_can_not_ask_in_claudes_name(front: Front) -> None:
    wish = b'{"tool_name": "Bash", "input": {}, "tool_use_id": "x"}'
    status, _ = await front.ask("POST", ASK_ROUTE, JSON | bearer(front.token), wish)
    assert status == 401


async def test_a_web_page_with_the_owners_token_is_refused_too(front: Front) -> None:
    for headers in ({"Origin": "http://localhost"}, {"Host": "evil.example"}):
        status, _ = await front.ask("GET", owner_protocol.SESSIONS_ROUTE, bearer(front.token) | headers)
        assert status == 403


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [({"Content-Type": "text/plain"}, STOP, 415), (JSON, b"{", 400), (JSON, b'{"name": 1}', 400), (JSON, b"", 400)],
)
async def test_a_body_of_the_wrong_shape_is_one_sentence(
    front: Front, headers: dict[str, str], body: bytes, status: int
) -> None:
    code, answer = await front.ask("POST", owner_protocol.STOP_ROUTE, headers | bearer(front.token), body)
    assert (code, list(answer)) == (status, ["error"])


async def test_health_needs_no_token_and_tells_nothing_of_the_work(front: Front) -> None:
    status, answer = await front.ask("GET", owner_protocol.HEALTH_ROUTE, {})
    assert status == 200
    assert set(answer) == {"ok", "boot", "discord"}
    assert answer["ok"] is True


async def test_the_token_is_the_owners_alone_and_another_one_each_time(front: Front) -> None:
    file = front.setup.state / "admin"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(front.token) >= 40


async def test_the_token_goes_with_the_bot(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {})
    tokens = set()
    for _ in range(2):
        async with setup.bot():
            tokens.add((setup.state / "admin").read_text())
        assert not (setup.state / "admin").exists()
    assert len(tokens) == 2


def test_another_program_at_the_bots_old_address_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "address").write_text("http://127.0.0.1:9")
    (tmp_path / "admin").write_text("token")
    with pytest.raises(NotRunning):
        BotClient(tmp_path).get(owner_protocol.SESSIONS_ROUTE)


def test_a_bot_that_does_not_answer_is_not_taken_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ANSWER_WITHIN", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        (tmp_path / owner_protocol.ADDRESS_FILE).write_text(f"http://127.0.0.1:{silent.getsockname()[1]}")
        (tmp_path / owner_protocol.TOKEN_FILE).write_text("token")
        with pytest.raises(NotDone, match=r"did not answer within 0\.1 s"):
            BotClient(tmp_path).get(owner_protocol.SESSIONS_ROUTE)
