"""Cards that the previous version left open while Claude's process lives on, as after `claude-discord restart`."""

import asyncio
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest

from bot.claude import process_identity
from bot.conversations.run_token import hash_token
from bot.local_api.owner_protocol import ADDRESS_FILE
from bot.store import FILE_NAME
from permission_mcp.http_post import post
from sandbox.discord import DiscordMessage
from sandbox.discord.state.entities import walk
from shared.protocol import ASK_ROUTE, Allow, Deny, decision_adapter
from tests.fixtures.bot_setup import shown
from tests.fixtures.previous_version import PreviousSetup
from tests.fixtures.scripted_setup import custom_ids

TOKEN = "the token of the run"


@dataclass(frozen=True)
class Waiting:
    """A thread in which a `claude` waits for answers."""

    setup: PreviousSetup
    name: str
    requests: tuple[str, ...]
    """What its `permission_mcp` asks, and asks again after a restart."""

    @property
    def cards(self) -> list[DiscordMessage]:
        there = self.setup.ada.messages(self.setup.place(self.name))
        return [each for each in there if any(name.startswith(("ask:", "all:")) for name in custom_ids(each))]

    def ask_again(self) -> list[asyncio.Task[Allow | Deny]]:
        """Ask as the `permission_mcp` of the previous version does, which still runs."""
        return [asyncio.create_task(self._ask(request)) for request in self.requests]

    async def _ask(self, request: str) -> Allow | Deny:
        address = (self.setup.state / ADDRESS_FILE).read_text(encoding="utf-8").strip()
        async with asyncio.timeout(20):
            answer = await post(f"{address}{ASK_ROUTE}", request.encode(), TOKEN)
        assert answer.status == 200, answer.body
        return decision_adapter.validate_json(answer.body)


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that lives as long as the test, or until a bot ends it."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def waiting(previous: PreviousSetup, process: subprocess.Popen[bytes], request: pytest.FixtureRequest) -> Waiting:
    """The thread that the test names; its run belongs to the process."""
    conversation = previous.place(request.param).id
    with closing(sqlite3.connect(previous.state / FILE_NAME)) as file, file:
        file.execute(
            "UPDATE run SET pid = ?, pid_started = ?, token_hash = ? WHERE conversation = ?",
            (process.pid, process_identity.started(process.pid), hash_token(TOKEN), conversation),
        )
        asked = file.execute("SELECT request FROM ticket WHERE conversation = ?", (conversation,)).fetchall()
    return Waiting(previous, request.param, tuple(each for (each,) in asked))


def named(cards: list[DiscordMessage], custom_id: str) -> tuple[DiscordMessage, str]:
    """Find the button or menu whose custom_id matches a beginning and an end, and its card."""
    begins, _, ends = custom_id.partition("…")
    return next(
        (card, name)
        for card in cards
        for name in custom_ids(card)
        if name.startswith(begins) and name.partition(":")[2].partition(":")[2].startswith(ends)
    )


@pytest.mark.parametrize(
    ("waiting", "pressed", "decided"),
    [
        ("one question", "ask:…skip", Deny),
        ("plan", "ask:…allow", Allow),
        ("plan", "ask:…accept", Allow),
        ("answered", "ask:…send", Allow),
        ("hidden", "ask:…allow", Allow),
        ("hidden", "ask:…deny", Deny),
        ("together", "all:…", Allow),
    ],
    indirect=["waiting"],
)
async def test_an_open_card_is_decided_with_its_old_buttons(
    waiting: Waiting, pressed: str, decided: type[Allow | Deny]
) -> None:
    ada, cards = waiting.setup.ada, waiting.cards
    async with waiting.setup.bot():
        asked = waiting.ask_again()
        answer = await ada.click(*named(cards, pressed))
        assert not answer.failed
        for each in asked:
            assert isinstance(await each, decided)
        thread = waiting.setup.place(waiting.name)
        await ada.sees(thread, lambda _: waiting.cards == [], within=20)
    text = waiting.setup.text(thread)
    assert text.count("✅ **" if decided is Allow else "⛔ **") == len(asked)
    assert "Withdrawn" not in text


@pytest.mark.parametrize("waiting", ["answered"], indirect=True)
async def test_the_answers_that_were_filled_in_before_are_sent(waiting: Waiting) -> None:
    async with waiting.setup.bot():
        (asked,) = waiting.ask_again()
        await waiting.setup.ada.click(*named(waiting.cards, "ask:…send"))
        decision = await asked
    assert isinstance(decision, Allow)
    answers = {"Which database should we use?": "Postgres", "Which extras do you want?": "Logs"}
    assert decision.updated_input["answers"] == answers


@pytest.mark.parametrize("waiting", ["questions"], indirect=True)
async def test_a_half_filled_draft_is_finished_with_the_old_menu(waiting: Waiting) -> None:
    async with waiting.setup.bot():
        (asked,) = waiting.ask_again()
        (card,) = waiting.cards
        _, menu = named([card], "ask:…choose:1")
        await waiting.setup.ada.select(card, menu, ["0"])
        await waiting.setup.ada.click(*named([card], "ask:…send"))
        decision = await asked
    assert isinstance(decision, Allow)
    answers = {"Which database should we use?": "SQLite", "Which extras do you want?": "Backups"}
    assert decision.updated_input["answers"] == answers


@pytest.mark.parametrize("waiting", ["always"], indirect=True)
async def test_an_open_panel_of_rules_can_be_closed_and_the_request_denied(waiting: Waiting) -> None:
    ada = waiting.setup.ada
    async with waiting.setup.bot():
        (asked,) = waiting.ask_again()
        (card,) = waiting.cards
        assert any(each["type"] == 3 for each in walk(card.components))
        await ada.click(*named([card], "ask:…back"))
        await ada.click(*named([card], "ask:…deny"))
        assert isinstance(await asked, Deny)
        assert "Denied" in shown(card)
