"""Several requests at once, what is written meanwhile, and nobody there: with a scripted agent."""

from pathlib import Path

import pytest

from bot.decisions.card_answers import OTHERS
from bot.decisions.time_out import NOBODY
from bot.refusals import MAY_NOT_DECIDE
from bot.render.cards.frame import STILL_WAITS
from bot.store.audit_log import entries
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.discord.state.entities import walk
from sandbox.script import Say, Use, script
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


async def test_other_words_are_queued_and_the_card_says_that_claude_still_waits(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.write(thread, "And then tell me the time")
        await setup.becomes(card, STILL_WAITS)
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, "You said: And then tell me the time")
        assert STILL_WAITS not in shown(card)
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
        await setup.becomes(first, "Claude still waits")
        assert "Allow" in buttons(first)
        await setup.ada.write(thread, "yes", reply_to=first)
        await setup.becomes(first, "Allowed")


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
    assert (only.outcome, only.source, only.by, only.note) == ("denied", "time-out", None, NOBODY)
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
