"""Tests that reminders and time-outs count from when the request came, even over a restart."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bot.config import ApprovalSettings, Project
from bot.decisions.desk import Desk
from bot.decisions.time_out import NOBODY_ANSWERED
from bot.decisions.unanswered_requests import UnansweredRequests
from bot.permission_requests.permission_request import RequestOrigin
from bot.permission_requests.ticket import Decided, Ticket
from bot.store import Store
from sandbox.scripts.script import Say, Use, script
from shared.protocol import Deny
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import BOUND, command, scripted, write_config
from tests.fixtures.tickets import permission_request

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Went on.")])}
REQUEST = permission_request("Bash", {"command": "ls"}, origin=RequestOrigin("shop", "/"))


async def no_channel(thread: int) -> None:
    """No thread is open."""


async def test_a_time_out_that_came_while_no_bot_was_there_is_noticed_by_the_next(tmp_path: Path) -> None:
    decisions = ApprovalSettings(timeout_minutes=10)

    def project(thread: int) -> Project:
        return Project(folder=tmp_path, channels=frozenset({7}), decisions=decisions)

    with Store.open(tmp_path / "state.sqlite3") as store:
        store.add_ticket(Ticket("early", REQUEST, 1000.0), "turn")
        late = replace(REQUEST, tool_use_id="toolu_2")
        store.add_ticket(Ticket("late", late, 1500.0), "turn")
    with Store.open(tmp_path / "state.sqlite3") as store:
        desk = Desk(store, clock=lambda: 1700.0)
        unanswered = UnansweredRequests(no_channel, project, store, desk, clock=lambda: 1700.0)
        pause = await unanswered.check()
        early, still = store.ticket("early"), store.ticket("late")
        assert early is not None
        assert early.state == Decided(Deny(message=NOBODY_ANSWERED), None, 1700.0, via="time-out")
        assert still is not None
        assert not isinstance(still.state, Decided)
        assert pause == 30.0
        assert len(store.audit("shop", 5)) == 1


@asynccontextmanager
async def bot(setup: BotSetup, path: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    environment = {**setup.environment, "DISCORD_TOKEN": setup.discord.token}
    async with command("--config", str(path), cwd=setup.root, **environment) as process:
        assert process.stderr is not None
        async with asyncio.timeout(BOUND):
            while b"Ready." not in await process.stderr.readline():
                pass
        yield process


async def test_a_bot_that_is_killed_leaves_one_reminder_which_the_next_one_takes_away(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    path = write_config(tmp_path / "claude-discord.toml", setup)
    path.write_text(path.read_text(encoding="utf-8") + "[decisions]\nremind_minutes = 0.01\n", encoding="utf-8")

    def reminders() -> int:
        return sum("still waiting for an answer" in message.content for message in setup.ada.messages(thread))

    async with bot(setup, path) as first:
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.sees(thread, "still waiting for an answer", within=BOUND)
        first.kill()
        await first.wait()
    async with bot(setup, path):
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.", within=BOUND)
        await setup.ada.sees(thread, lambda _: reminders() == 0, within=BOUND)
        assert buttons(card) == []
