"""Several requests at once, what is written meanwhile, and nobody there: with a scripted agent."""

from pathlib import Path

import pytest

from bot.decisions.card_answers import NOT_YOURS, OTHERS
from bot.decisions.reminders import NOBODY
from bot.render.cards.frame import STILL_WAITS
from bot.store.audit_log import entries
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.discord.state.entities import walk
from sandbox.script import Say, Use, script
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import maker, scripted
from tests.fixtures.workshop import Workshop

OUTSIDE = [Use("Read", {"file_path": f"/etc/motd-{number}"}) for number in range(3)]
TOUCH = Use("Bash", {"command": "touch made.txt"})
SCRIPTS = {
    "read three": script([*OUTSIDE], [Say("Read them.")]),
    "read two": script([*OUTSIDE[:2]], [Say("Read them.")]),
    "touch": script([TOUCH], [Say("Went on.")]),
}


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    return scripted(workshop, tmp_path, SCRIPTS)


async def all_card(house: House, thread: DiscordChannel) -> DiscordMessage:
    return await house.ada.sees(thread, lambda message: "Allow all 3" in buttons(message), within=20)


def custom_id(message: DiscordMessage) -> str:
    return next(str(each["custom_id"]) for each in walk(message.components) if "custom_id" in each)


async def test_more_than_two_of_a_kind_are_allowed_with_one_press(house: House) -> None:
    async with house.bot():
        thread = await house.say("read three")
        gathered = await all_card(house, thread)
        assert "/etc/motd-1" in shown(gathered)
        await house.ada.click(gathered, "Allow all 3")
        await house.ada.sees(thread, "Read them.")
        await house.ada.sees_gone(gathered)
        await house.done(thread)
    decided = [entry.entry for entry in entries(house.state / "state.sqlite3")]
    assert [(one.outcome, one.by) for one in decided] == [("allowed", house.ada.user.id)] * 3


async def test_the_button_for_all_allows_what_stood_there_and_nothing_else(house: House) -> None:
    async with house.bot():
        thread = await house.say("read three")
        gathered = await all_card(house, thread)
        pressed = custom_id(gathered)
        refused = await house.workshop.eve.forge(gathered, pressed)
        assert NOT_YOURS in refused.text
        one = await house.card(thread, "Read a file?")
        await house.ada.click(one, "Deny")
        late = await house.ada.forge(one, pressed)
        assert OTHERS in late.text
        assert late.ephemeral
        await house.ada.sees_gone(gathered)
        elsewhere = await house.say("read three")
        await all_card(house, elsewhere)
        replayed = await house.ada.forge(one, custom_id(await all_card(house, elsewhere)))
        assert OTHERS in replayed.text, "the other thread's button does nothing here"


async def test_two_of_a_kind_have_no_button_for_both(house: House) -> None:
    async with house.bot():
        thread = await house.say("read two")
        await house.card(thread, "motd-0")
        await house.card(thread, "motd-1")
        await house.ada.sees(thread, "2 open requests")
        assert "at once?" not in house.text(thread)


async def test_other_words_are_queued_and_the_card_says_that_claude_still_waits(house: House) -> None:
    async with house.bot():
        thread = await house.say("touch")
        card = await house.card(thread, "touch made.txt")
        await house.ada.write(thread, "And then tell me the time")
        await house.becomes(card, STILL_WAITS)
        await house.ada.write(thread, "yes")
        await house.ada.sees(thread, "You said: And then tell me the time")
        assert STILL_WAITS not in shown(card)
    first = entries(house.state / "state.sqlite3")[0].entry
    assert (first.outcome, first.source) == ("allowed", "text")


async def test_words_of_somebody_who_may_talk_and_not_decide_decide_nothing(house: House) -> None:
    bob = maker(house, "bob")
    house.project_settings["decide"] = {"users": [bob.user.id]}
    async with house.bot():
        thread = await house.say("touch")
        card = await house.card(thread, "touch made.txt")
        await house.ada.write(thread, "yes")
        await house.ada.sees(thread, NOT_YOURS)
        assert "Allow" in buttons(card)
        await bob.write(thread, "no because it is late")
        await house.becomes(card, "it is late")
        await house.done(thread)
    assert not (house.project / "made.txt").exists()


async def test_with_several_open_a_bare_yes_is_asked_which_and_a_reply_is_not(house: House) -> None:
    async with house.bot():
        thread = await house.say("read two")
        first, second = await house.card(thread, "motd-0"), await house.card(thread, "motd-1")
        await house.ada.write(thread, "yes")
        await house.ada.sees(thread, "Several requests are open")
        await house.ada.write(thread, "no", reply_to=second)
        await house.becomes(second, "Denied")
        assert "Allow" in buttons(first)


async def test_a_reply_to_something_else_decides_nothing_that_is_open(house: House) -> None:
    async with house.bot():
        thread = await house.say("read two")
        first, second = await house.card(thread, "motd-0"), await house.card(thread, "motd-1")
        await house.ada.click(second, "Deny")
        await house.becomes(second, "Denied")
        await house.ada.write(thread, "yes", reply_to=second)
        await house.ada.sees(thread, "was first")
        mine = await house.ada.write(thread, "Shall I get a coffee?")
        await house.ada.write(thread, "yes", reply_to=mine)
        await house.becomes(first, "Claude still waits")
        assert "Allow" in buttons(first)
        await house.ada.write(thread, "yes", reply_to=first)
        await house.becomes(first, "Allowed")


async def test_a_reply_to_the_reminder_is_an_answer(workshop: Workshop, tmp_path: Path) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS, decisions={"remind_minutes": 0.01})
    async with house.bot():
        thread = await house.say("touch")
        card = await house.card(thread, "touch made.txt")
        reminder = await house.ada.sees(thread, "Claude has been waiting", within=20)
        await house.ada.write(thread, "yes", reply_to=reminder)
        await house.becomes(card, "Allowed")


async def test_nobody_there_is_told_to_claude_as_such(workshop: Workshop, tmp_path: Path) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS, decisions={"timeout_minutes": 0.02})
    async with house.bot():
        thread = await house.say("touch")
        await house.ada.sees(thread, lambda message: "Nobody was there" in shown(message), within=20)
        await house.done(thread)
    only = entries(house.state / "state.sqlite3")[0].entry
    assert (only.outcome, only.source, only.by, only.note) == ("denied", "time-out", None, NOBODY)
    assert not (house.project / "made.txt").exists()


async def test_a_reminder_mentions_those_who_may_decide_and_goes_with_the_answer(
    workshop: Workshop, tmp_path: Path
) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS, decisions={"remind_minutes": 0.01})
    async with house.bot():
        thread = await house.say("touch")
        card = await house.card(thread, "touch made.txt")
        reminder = await house.ada.sees(thread, "Claude has been waiting", within=20)
        assert f"<@&{workshop.makers.id}>" in reminder.content
        assert [user.id for user in reminder.pings] == [house.ada.user.id], (
            "a role that can't be mentioned pings nobody"
        )
        await house.ada.click(card, "Allow")
        await house.done(thread)
        await house.ada.sees(thread, lambda _: "Claude has been waiting" not in house.text(thread))


async def test_somebody_who_may_decide_and_not_talk_answers_in_words_and_sees_what_waits(house: House) -> None:
    eve = house.workshop.eve
    house.project_settings["decide"] = {"users": [eve.user.id]}
    async with house.bot():
        thread = await house.say("touch")
        card = await house.card(thread, "touch made.txt")
        assert "touch made.txt" in (await eve.command(thread, "pending")).text
        await eve.write(thread, "what is this?")
        await eve.write(thread, "yes")
        await house.becomes(card, f"<@{eve.user.id}>")
        await house.done(thread)
        assert "You said: what is this?" not in house.text(thread), "she may not talk to Claude"
        refused = await eve.command(thread, "stop")
        assert refused.ephemeral
    assert (house.project / "made.txt").exists()
