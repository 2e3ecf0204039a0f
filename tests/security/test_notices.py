"""What Discord itself writes in a person's name is no word of theirs: it answers no card, and is no prompt."""

from pathlib import Path

from sandbox.script import Say, Use, script
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Went on.")])}


def a_house(workshop: Workshop, root: Path) -> House:
    return scripted(workshop, root, SCRIPTS)


async def test_renaming_a_thread_to_yes_allows_nothing(workshop: Workshop, tmp_path: Path) -> None:
    house = a_house(workshop, tmp_path)
    async with house.bot():
        thread = await house.say("touch")
        card = await house.card(thread, "touch made.txt")
        await house.ada.rename(thread, "Yes")
        await house.ada.write(thread, "What does it do?")  # heard after the notice, and queued behind the open card
        note = await house.ada.sees(thread, "Queued")
        assert "Allow" in buttons(card)
        assert [m for m in house.ada.messages(thread) if "Queued" in shown(m)] == [note]
    assert not (house.project / "made.txt").exists()


async def test_opening_a_thread_by_hand_is_no_prompt(workshop: Workshop, tmp_path: Path) -> None:
    house = a_house(workshop, tmp_path)
    async with house.bot() as conversations:
        await house.ada.start_thread(house.channel, "touch")
        await house.ada.write(house.channel, "Hello")
        thread = await house.ada.sees_thread(house.channel, "Hello")
        await house.ada.sees(thread, "You said: Hello", within=20)
        names = [house.discord.world.channels[each.id].name for each in conversations.awake()]
        assert names == ["Hello"]


async def test_a_notice_that_was_missed_is_no_word_either(workshop: Workshop, tmp_path: Path) -> None:
    house = a_house(workshop, tmp_path)
    async with house.bot():
        thread = await house.say("Hello")
        await house.done(thread)
    await house.ada.rename(thread, "touch")
    await house.ada.write(thread, "Are you there?")
    async with house.bot():
        await house.ada.sees(thread, "You said: Are you there?", within=20)
        assert "made.txt" not in house.text(thread)
