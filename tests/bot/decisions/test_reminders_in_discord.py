"""Tests that an unanswered request gets a reminder in Discord, and that Claude is told when it times out."""

from pathlib import Path

import pytest

from bot.decisions.time_out import NOBODY_ANSWERED
from bot.store.audit_log import entries
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

OUTSIDE = [Use("Read", {"file_path": f"/etc/motd-{number}"}) for number in range(3)]
TOUCH = Use("Bash", {"command": "touch made.txt"})
SCRIPTS = {
    "read three": script([*OUTSIDE], [Say("Read them.")]),
    "read two": script([*OUTSIDE[:2]], [Say("Read them.")]),
    "touch": script([TOUCH], [Say("Went on.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS)


async def test_a_reply_to_the_reminder_is_an_answer(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS, decisions={"remind_minutes": 0.01})
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        reminder = await setup.ada.sees(thread, "still waiting for an answer", within=20)
        await setup.ada.write(thread, "yes", reply_to=reminder)
        await setup.becomes(card, "Allowed")


async def test_nobody_there_is_told_to_claude_as_such(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS, decisions={"timeout_minutes": 0.02})
    async with setup.bot():
        thread = await setup.say("touch")
        await setup.ada.sees(thread, lambda message: "Nobody answered" in shown(message), within=20)
        await setup.done(thread)
    only = entries(setup.state / "state.sqlite3")[0].entry
    assert (only.outcome, only.source, only.by, only.note) == ("denied", "time-out", None, NOBODY_ANSWERED)
    assert not (setup.project / "made.txt").exists()


async def test_a_reminder_mentions_those_who_may_decide_and_goes_with_the_answer(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS, decisions={"remind_minutes": 0.01})
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        reminder = await setup.ada.sees(thread, "still waiting for an answer", within=20)
        assert f"<@&{discord_server.developers.id}>" in reminder.content
        assert [user.id for user in reminder.pings] == [setup.ada.user.id], (
            "a role that can't be mentioned pings nobody"
        )
        await setup.ada.click(card, "Allow")
        await setup.done(thread)
        await setup.ada.sees(thread, lambda _: "still waiting for an answer" not in setup.text(thread))
