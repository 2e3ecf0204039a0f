"""Tests where a conversation is: its thread, the turn notice in the channel, an archived thread, its own channel."""

from collections.abc import Callable

import pytest

from bot.discord.threads import thread_name
from sandbox.discord import DiscordChannel
from sandbox.discord.people.wait_until import until
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.scripted_setup import gone, processes


def lines(setup: BotSetup) -> list[str]:
    """Return what the bot wrote in the channel."""
    return [each.text for each in setup.ada.messages(setup.channel) if each.author.bot and each.text]


async def test_the_channel_gets_one_line_for_a_conversation(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("Hello")
        first = await setup.ada.sees(setup.channel, f"✅ Done · <#{thread.id}>", within=20)
        assert "<@" not in first.text
        await setup.ada.write(thread, "And again")
        await setup.done(thread, 2)
        await setup.ada.sees_gone(first)
        await setup.ada.sees(setup.channel, f"✅ Done · <#{thread.id}>")
        assert len(lines(setup)) == 1


async def test_whoever_asked_is_called_when_they_have_to_act(setup: BotSetup) -> None:
    async with setup.bot():
        await setup.say("break off")
        line = await setup.ada.sees(setup.channel, "⚠️ Claude's process ended", within=20)
        assert f"<@{setup.ada.user.id}>" in line.text
        assert line.pings == (setup.ada.user,)


async def test_nobody_is_called_where_that_is_the_setting(setup: BotSetup) -> None:
    setup.project_settings["mention"] = "never"
    async with setup.bot():
        await setup.say("break off")
        line = await setup.ada.sees(setup.channel, "⚠️ Claude's process ended", within=20)
        assert "<@" not in line.text


async def test_everybody_is_called_where_that_is_the_setting(setup: BotSetup) -> None:
    setup.project_settings["mention"] = "always"
    async with setup.bot():
        await setup.say("Hello")
        line = await setup.ada.sees(setup.channel, "✅ Done", within=20)
        assert line.pings == (setup.ada.user,)


async def test_archiving_the_thread_ends_the_run_and_a_message_resumes_it(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("ask")
        card = await setup.card(thread, "touch made.txt")
        running = processes(setup, "sandbox.scripted_claude")
        await setup.ada.archive(thread)
        assert await gone(running) == []
        await setup.becomes(card, "the thread was archived")
        assert buttons(card) == []
        await stays_archived(setup, thread)
        await setup.ada.write(thread, "Are you there?")
        await setup.ada.sees(thread, "You said: Are you there?", within=20)


async def stays_archived(setup: BotSetup, thread: DiscordChannel) -> None:
    """Wait until the thread is archived: showing the end of the turn may have opened it for a moment."""
    details = thread.thread
    assert details is not None
    await until(setup.discord.world, lambda: details.archived or None, 10, lambda: "It is open.")


async def test_a_channel_can_be_one_continuous_conversation(setup: BotSetup, let_go: Callable[[], None]) -> None:
    setup.project_settings["style"] = "channel"
    async with setup.bot():
        await setup.ada.write(setup.channel, "go slowly")
        await setup.ada.sees(setup.channel, "A first part", within=20)
        await setup.ada.write(setup.channel, "And then?")
        await setup.ada.sees(setup.channel, "Queued")
        let_go()
        await setup.ada.sees(setup.channel, "You said: And then?", within=20)
        await setup.ada.write(setup.channel, "ask")
        card = await setup.card(setup.channel, "touch made.txt")
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(setup.channel, "Made.", within=20)
        assert setup.ada.threads(setup.channel) == []
        assert not any("Done" in line for line in lines(setup)), "the channel needs no line about itself"
        answer = await (await setup.ada.command(setup.channel, "new")).finished()
        assert "no longer remembers" in answer.text


async def test_a_new_session_in_such_a_channel_begins_in_the_channel(setup: BotSetup) -> None:
    setup.project_settings["style"] = "channel"
    async with setup.bot():
        answer = await (await setup.ada.command(setup.channel, "new", prompt="Hello")).finished()
        assert "session here" in answer.text
        asked = await setup.ada.sees(setup.channel, "> Hello")
        assert asked.pings == (), "whoever asked need not be called"
        await setup.ada.sees(setup.channel, "You said: Hello", within=20)
        assert setup.ada.threads(setup.channel) == []


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


async def test_a_channel_goes_on_after_a_restart(setup: BotSetup) -> None:
    setup.project_settings["style"] = "channel"
    async with setup.bot():
        await setup.ada.write(setup.channel, "One")
        await setup.done(setup.channel)
    async with setup.bot():
        await setup.ada.write(setup.channel, "Two")
        await setup.ada.sees(setup.channel, "You said: Two", within=20)
    assert len(list((setup.state / "runs").iterdir())) == 2


async def test_claude_is_ready_when_somebody_begins_to_type(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("Hello")
        await setup.done(thread)
        await setup.ada.archive(thread)
        assert await gone(processes(setup, "sandbox.scripted_claude")) == []
        await setup.discord_server.eve.typing(thread)
        await setup.ada.typing(thread)
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        await conversation.control("get_context_usage", start=True)
        process = conversation.status().process
        assert process is not None
        assert conversation.status().doing == "idle"
        await setup.ada.write(thread, "I am slow")
        await setup.ada.sees(thread, "You said: I am slow", within=20)
        assert conversation.status().process == process, "it was the one that stood ready"


async def test_a_stranger_who_types_wakes_nobody(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("Hello")
        await setup.done(thread)
        await setup.ada.archive(thread)
        assert await gone(processes(setup, "sandbox.scripted_claude")) == []
        await setup.discord_server.eve.typing(thread)
        await setup.ada.command(thread, "status")  # comes after it
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        assert not conversation.status().warming
