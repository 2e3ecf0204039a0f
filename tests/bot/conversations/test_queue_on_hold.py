"""Tests that a stop holds the queue whatever else happens, and that prompts still on their way don't run."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app import RunningBot
from bot.projects.worktrees import Worktrees
from sandbox.discord import DiscordChannel
from sandbox.discord.state.world import Dispatch
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.bot.conversations.test_stop import QUEUED, answered, busy, held, stopped
from tests.bot.discord.incoming.test_voice import speak
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.scripted_setup import add_moderator


async def test_two_threads_have_each_their_own_note(setup: BotSetup) -> None:
    async with setup.bot():
        one = await busy(setup)
        two = await busy(setup)
        await stopped(setup, one, "stop")
        first = await held(setup, one)
        await stopped(setup, two, "stop")
        second = await held(setup, two)
        await setup.ada.click(first, "Cancel them")
        await setup.ada.sees_gone(first)
        assert not second.deleted
        assert buttons(second) == ["Run them", "Cancel them"]
        await setup.ada.click(second, "Run them")
        await setup.ada.sees(two, "You said: Number three", within=20)
        assert answered(setup, one) == []


async def test_an_edited_message_on_hold_is_still_on_hold_and_says_so(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        await held(setup, thread)
        message = next(m for m in setup.ada.messages(thread) if m.content == "Number two")
        await setup.ada.edit(message, "Number five")
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        for note in [m for m in setup.ada.messages(thread) if "Send now" in buttons(m)]:
            await setup.becomes(note, "On hold")
        assert sum("On hold" in shown(m) for m in setup.ada.messages(thread)) == 3


async def test_a_deleted_note_of_what_is_on_hold_comes_back(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        note = await held(setup, thread)
        await add_moderator(setup, "mod").delete(note)
        again = await setup.ada.sees(
            thread,
            lambda m: m is not note and "3 queued messages are on hold." in shown(m) and bool(buttons(m)),
            within=10,
        )
        await setup.ada.click(again, "Run them")
        await setup.ada.sees(thread, "You said: Number three", within=20)


async def begun(setup: BotSetup, running: RunningBot, thread: DiscordChannel) -> None:
    """Wait, without a pause, until a prompt is on its way to Claude."""
    conversation = await running.conversations.find(thread.id)
    assert conversation is not None
    async with asyncio.timeout(20):
        while conversation.status().doing != "working":  # noqa: ASYNC110 - the test needs exactly this moment
            await asyncio.sleep(0)


async def test_a_stop_right_after_a_message_stops_it(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    setup.project_settings["permission_mode"] = "acceptEdits"
    made = setup.project / "made.txt"
    api.on("make it", script([Use("Write", {"file_path": str(made), "content": "made"})], [Say("I made it.")]))
    async with setup.bot() as running:
        thread = await setup.say("Hello")
        await setup.done(thread)
        await setup.ada.write(thread, "Please make it")
        await begun(setup, running, thread)
        conversation = running.conversations.known(thread.id)
        assert conversation is not None
        assert (await conversation.stop("Ada")).startswith("Stopped.")
        await setup.done(thread, 2)
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        assert not made.exists()


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_a_stop_holds_what_claude_is_only_being_started_for(
    setup: BotSetup, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, go_on = asyncio.Event(), asyncio.Event()
    prepare = Worktrees.prepare

    async def slowly(worktrees: Worktrees, conversation: int) -> None:
        starting.set()
        await go_on.wait()
        await prepare(worktrees, conversation)

    monkeypatch.setattr(Worktrees, "prepare", slowly)
    async with setup.bot() as running:
        thread = await setup.say("Hello")
        await starting.wait()
        if how == "archive":
            await setup.ada.archive(thread)
        else:
            assert "1 queued message is on hold." in await stopped(setup, thread, how)
        fits = lambda seen: "1 queued message is on hold." in shown(seen) and bool(buttons(seen))  # noqa: E731
        note = await setup.ada.sees(thread, fits, within=20)
        go_on.set()
        conversation = running.conversations.known(thread.id)
        assert conversation is not None
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        assert "You said: Hello" not in setup.text(thread)
        await setup.ada.click(note, "Run it")
        await setup.ada.sees(thread, "You said: Hello", within=20)


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_what_was_written_before_a_stop_and_heard_after_it_is_on_hold_too(
    setup: BotSetup, how: str, tmp_path: Path
) -> None:
    heard = tmp_path / "heard"
    setup.settings["transcriber"] = ["sh", "-c", f'while ! test -e {heard}; do sleep 0.05; done; cat "$0"']
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        speak(setup, thread, "Delete everything")
        await setup.ada.write(thread, "and then some")
        if how == "archive":
            await setup.ada.archive(thread)
            await setup.ada.sees(thread, "Stopped", within=20)
        else:
            await stopped(setup, thread, how)
        heard.touch()
        fits = lambda seen: "2 queued messages are on hold." in shown(seen) and bool(buttons(seen))  # noqa: E731
        note = await setup.ada.sees(thread, fits, within=20)
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        assert "You said: Delete everything" not in setup.text(thread)
        assert "You said: and then some" not in setup.text(thread)
        await setup.ada.click(note, "Run them")
        await setup.ada.sees(thread, "You said: and then some", within=20)


async def test_messages_that_are_deleted_all_at_once_do_not_run(setup: BotSetup, let_go: Callable[[], None]) -> None:
    async with setup.bot():
        thread = await busy(setup)
        gone = [message for message in setup.ada.messages(thread) if message.content in QUEUED[:2]]
        assert len(gone) == 2
        for message in gone:
            thread.messages.pop(message.id)
        data = {"ids": [str(message.id) for message in gone], "channel_id": str(thread.id)}
        data["guild_id"] = str(setup.discord_server.guild.id)
        setup.discord.world.publish(Dispatch("MESSAGE_DELETE_BULK", data, thread))
        await setup.ada.sees(thread, lambda _: setup.text(thread).count("Queued:") == 1, within=20)
        let_go()
        await setup.ada.sees(thread, "You said: Number three", within=20)
        assert answered(setup, thread) == ["Number three"]
