"""Tests typed answers: several open requests, other messages in between, and nobody answering."""

from pathlib import Path

import pytest

from bot.refusals import MAY_NOT_DECIDE
from bot.render.cards.frame import STILL_WAITING
from bot.store.audit_log import entries
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import add_developer, scripted

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


async def test_other_words_are_queued_and_the_card_says_that_claude_still_waits(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.write(thread, "And then tell me the time")
        await setup.becomes(card, STILL_WAITING)
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, "You said: And then tell me the time")
        assert STILL_WAITING not in shown(card)
    first = entries(setup.state / "state.sqlite3")[0].entry
    assert (first.outcome, first.source) == ("allowed", "text")


async def test_words_of_somebody_who_may_talk_and_not_decide_decide_nothing(setup: BotSetup) -> None:
    bob = add_developer(setup, "bob")
    setup.project_settings["decide"] = {"users": [bob.user.id]}
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, MAY_NOT_DECIDE)
        assert "Allow" in buttons(card)
        await bob.write(thread, "no because it is late")
        await setup.becomes(card, "it is late")
        await setup.done(thread)
    assert not (setup.project / "made.txt").exists()


async def test_with_several_open_a_bare_yes_is_asked_which_and_a_reply_is_not(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("read two")
        first, second = await setup.card(thread, "motd-0"), await setup.card(thread, "motd-1")
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, "Several requests are open")
        await setup.ada.write(thread, "no", reply_to=second)
        await setup.becomes(second, "Denied")
        assert "Allow" in buttons(first)


async def test_a_reply_to_something_else_decides_nothing_that_is_open(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("read two")
        first, second = await setup.card(thread, "motd-0"), await setup.card(thread, "motd-1")
        await setup.ada.click(second, "Deny")
        await setup.becomes(second, "Denied")
        await setup.ada.write(thread, "yes", reply_to=second)
        await setup.ada.sees(thread, "already decided this")
        mine = await setup.ada.write(thread, "Shall I get a coffee?")
        await setup.ada.write(thread, "yes", reply_to=mine)
        await setup.becomes(first, "Claude is still waiting")
        assert "Allow" in buttons(first)
        await setup.ada.write(thread, "yes", reply_to=first)
        await setup.becomes(first, "Allowed")


async def test_somebody_who_may_decide_and_not_talk_answers_in_words_and_sees_what_waits(setup: BotSetup) -> None:
    eve = setup.discord_server.eve
    setup.project_settings["decide"] = {"users": [eve.user.id]}
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        assert "touch made.txt" in (await eve.command(thread, "pending")).text
        await eve.write(thread, "what is this?")
        await eve.write(thread, "yes")
        await setup.becomes(card, f"<@{eve.user.id}>")
        await setup.done(thread)
        assert "You said: what is this?" not in setup.text(thread), "she may not talk to Claude"
        refused = await eve.command(thread, "stop")
        assert refused.ephemeral
    assert (setup.project / "made.txt").exists()
