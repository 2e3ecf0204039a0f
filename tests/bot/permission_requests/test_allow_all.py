"""Tests the button that allows three or more requests of a kind."""

from pathlib import Path

import pytest

from bot.decisions.card_answers import OTHERS
from bot.refusals import MAY_NOT_DECIDE
from bot.store.audit_log import entries
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.discord.state.entities import walk
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
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


async def all_card(setup: BotSetup, thread: DiscordChannel) -> DiscordMessage:
    return await setup.ada.sees(thread, lambda message: "Allow all 3" in buttons(message), within=20)


def custom_id(message: DiscordMessage) -> str:
    return next(str(each["custom_id"]) for each in walk(message.components) if "custom_id" in each)


async def test_more_than_two_of_a_kind_are_allowed_with_one_press(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("read three")
        gathered = await all_card(setup, thread)
        assert "/etc/motd-1" in shown(gathered)
        await setup.ada.click(gathered, "Allow all 3")
        await setup.ada.sees(thread, "Read them.")
        await setup.ada.sees_gone(gathered)
        await setup.done(thread)
    decided = [entry.entry for entry in entries(setup.state / "state.sqlite3")]
    assert [(one.outcome, one.by) for one in decided] == [("allowed", setup.ada.user.id)] * 3


async def test_the_button_for_all_allows_what_stood_there_and_nothing_else(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("read three")
        gathered = await all_card(setup, thread)
        pressed = custom_id(gathered)
        refused = await setup.discord_server.eve.forge(gathered, pressed)
        assert MAY_NOT_DECIDE in refused.text
        one = await setup.card(thread, "Read a file?")
        await setup.ada.click(one, "Deny")
        late = await setup.ada.forge(one, pressed)
        assert OTHERS in late.text
        assert late.ephemeral
        await setup.ada.sees_gone(gathered)
        elsewhere = await setup.say("read three")
        await all_card(setup, elsewhere)
        replayed = await setup.ada.forge(one, custom_id(await all_card(setup, elsewhere)))
        assert OTHERS in replayed.text, "the other thread's button does nothing here"


async def test_two_of_a_kind_have_no_button_for_both(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("read two")
        await setup.card(thread, "motd-0")
        await setup.card(thread, "motd-1")
        await setup.ada.sees(thread, "2 open requests")
        assert "at once?" not in setup.text(thread)
