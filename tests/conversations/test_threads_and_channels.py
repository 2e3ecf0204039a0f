"""Where a conversation is: its thread, the channel that is told once, an archived thread, a channel of its own."""

from collections.abc import Callable

import pytest

from bot.discord.threads import thread_name
from sandbox.discord import DiscordChannel
from sandbox.discord.people.wait_until import until
from tests.fixtures.house import House, buttons
from tests.fixtures.scripted_house import gone, processes


def lines(house: House) -> list[str]:
    """What the bot said in the channel."""
    return [each.text for each in house.ada.messages(house.channel) if each.author.bot and each.text]


async def test_the_channel_gets_one_line_for_a_conversation(house: House) -> None:
    async with house.bot():
        thread = await house.say("Hello")
        first = await house.ada.sees(house.channel, f"✅ Done · <#{thread.id}>", within=20)
        assert "<@" not in first.text
        await house.ada.write(thread, "And again")
        await house.done(thread, 2)
        await house.ada.sees_gone(first)
        await house.ada.sees(house.channel, f"✅ Done · <#{thread.id}>")
        assert len(lines(house)) == 1


async def test_whoever_asked_is_called_when_they_have_to_act(house: House) -> None:
    async with house.bot():
        await house.say("break off")
        line = await house.ada.sees(house.channel, "⚠️ Claude's process ended", within=20)
        assert f"<@{house.ada.user.id}>" in line.text
        assert line.pings == (house.ada.user,)


async def test_nobody_is_called_where_that_is_the_setting(house: House) -> None:
    house.project_settings["mention"] = "never"
    async with house.bot():
        await house.say("break off")
        line = await house.ada.sees(house.channel, "⚠️ Claude's process ended", within=20)
        assert "<@" not in line.text


async def test_everybody_is_called_where_that_is_the_setting(house: House) -> None:
    house.project_settings["mention"] = "always"
    async with house.bot():
        await house.say("Hello")
        line = await house.ada.sees(house.channel, "✅ Done", within=20)
        assert line.pings == (house.ada.user,)


async def test_archiving_the_thread_ends_the_run_and_a_message_resumes_it(house: House) -> None:
    async with house.bot():
        thread = await house.say("ask")
        card = await house.card(thread, "touch made.txt")
        running = processes(house, "sandbox.scripted_claude")
        await house.ada.archive(thread)
        assert await gone(running) == []
        await house.becomes(card, "the thread was archived")
        assert buttons(card) == []
        await stays_archived(house, thread)
        await house.ada.write(thread, "Are you there?")
        await house.ada.sees(thread, "You said: Are you there?", within=20)


async def stays_archived(house: House, thread: DiscordChannel) -> None:
    """Showing the end of the turn may have opened the thread for a moment."""
    details = thread.thread
    assert details is not None
    await until(house.discord.world, lambda: details.archived or None, 10, lambda: "It is open.")


async def test_a_channel_can_be_one_continuous_conversation(house: House, let_go: Callable[[], None]) -> None:
    house.project_settings["style"] = "channel"
    async with house.bot():
        await house.ada.write(house.channel, "go slowly")
        await house.ada.sees(house.channel, "A first part", within=20)
        await house.ada.write(house.channel, "And then?")
        await house.ada.sees(house.channel, "Queued")
        let_go()
        await house.ada.sees(house.channel, "You said: And then?", within=20)
        await house.ada.write(house.channel, "ask")
        card = await house.card(house.channel, "touch made.txt")
        await house.ada.click(card, "Allow")
        await house.ada.sees(house.channel, "Made.", within=20)
        assert house.ada.threads(house.channel) == []
        assert not any("Done" in line for line in lines(house)), "the channel needs no line about itself"
        answer = await (await house.ada.command(house.channel, "new")).finished()
        assert "forgotten" in answer.text


async def test_a_new_session_in_such_a_channel_begins_in_the_channel(house: House) -> None:
    house.project_settings["style"] = "channel"
    async with house.bot():
        answer = await (await house.ada.command(house.channel, "new", prompt="Hello")).finished()
        assert "begins here" in answer.text
        asked = await house.ada.sees(house.channel, "> Hello")
        assert asked.pings == (), "whoever asked need not be called"
        await house.ada.sees(house.channel, "You said: Hello", within=20)
        assert house.ada.threads(house.channel) == []


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("<@1234567890> fix the **build** <:blob:12> of `app.py`", "fix the build of app.py"),
        ("<@&42>\n\n## Then <#7> this", "Then this"),
        ("<@!42>", "Conversation"),
        ("Rename __init__.py", "Rename __init__.py"),
    ],
)
def test_a_thread_is_named_as_one_would_say_the_prompt(prompt: str, name: str) -> None:
    assert thread_name(prompt) == name


async def test_a_channel_goes_on_after_a_restart(house: House) -> None:
    house.project_settings["style"] = "channel"
    async with house.bot():
        await house.ada.write(house.channel, "One")
        await house.done(house.channel)
    async with house.bot():
        await house.ada.write(house.channel, "Two")
        await house.ada.sees(house.channel, "You said: Two", within=20)
    assert len(list((house.state / "runs").iterdir())) == 2


async def test_claude_is_ready_when_somebody_begins_to_type(house: House) -> None:
    async with house.bot() as conversations:
        thread = await house.say("Hello")
        await house.done(thread)
        await house.ada.archive(thread)
        assert await gone(processes(house, "sandbox.scripted_claude")) == []
        await house.workshop.eve.typing(thread)
        await house.ada.typing(thread)
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        await conversation.control("get_context_usage", start=True)
        process = conversation.status().process
        assert process is not None
        assert conversation.status().doing == "idle"
        await house.ada.write(thread, "I am slow")
        await house.ada.sees(thread, "You said: I am slow", within=20)
        assert conversation.status().process == process, "it was the one that stood ready"


async def test_a_stranger_who_types_wakes_nobody(house: House) -> None:
    async with house.bot() as conversations:
        thread = await house.say("Hello")
        await house.done(thread)
        await house.ada.archive(thread)
        assert await gone(processes(house, "sandbox.scripted_claude")) == []
        await house.workshop.eve.typing(thread)
        await house.ada.command(thread, "status")  # comes after it
        conversation = await conversations.find(thread.id)
        assert conversation is not None
        assert not conversation.status().warming
