"""Tests that notices by Discord in a person's name neither answer a card nor become a prompt."""

from pathlib import Path

from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Went on.")])}


def a_house(discord_server: DiscordServer, root: Path) -> BotSetup:
    return scripted(discord_server, root, SCRIPTS)


async def test_renaming_a_thread_to_yes_allows_nothing(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = a_house(discord_server, tmp_path)
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.rename(thread, "Yes")
        await setup.ada.write(thread, "What does it do?")  # handled after the notice, and queued behind the open card
        note = await setup.ada.sees(thread, "Queued")
        assert "Allow" in buttons(card)
        assert [m for m in setup.ada.messages(thread) if "Queued" in shown(m)] == [note]
    assert not (setup.project / "made.txt").exists()


async def test_opening_a_thread_by_hand_is_no_prompt(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = a_house(discord_server, tmp_path)
    async with setup.bot() as running:
        await setup.ada.start_thread(setup.channel, "touch")
        await setup.ada.write(setup.channel, "Hello")
        thread = await setup.ada.sees_thread(setup.channel, "Hello")
        await setup.ada.sees(thread, "You said: Hello", within=20)
        names = [setup.discord.world.channels[each.id].name for each in running.conversations.awake()]
        assert names == ["Hello"]


async def test_a_notice_that_was_missed_is_no_word_either(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = a_house(discord_server, tmp_path)
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
    await setup.ada.rename(thread, "touch")
    await setup.ada.write(thread, "Are you there?")
    async with setup.bot():
        await setup.ada.sees(thread, "You said: Are you there?", within=20)
        assert "made.txt" not in setup.text(thread)
