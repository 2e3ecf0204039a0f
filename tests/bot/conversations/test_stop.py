"""Tests that after a stop no queued prompt runs unasked, and none is lost."""

from collections.abc import Callable

import pytest

from bot.refusals import MAY_NOT_TALK
from sandbox.discord import DiscordChannel, DiscordMessage
from tests.fixtures.bot_setup import BotSetup, buttons, shown

QUEUED = ("Number one", "Number two", "Number three")


async def busy(setup: BotSetup) -> DiscordChannel:
    """A thread in which Claude works, with three messages queued."""
    thread = await setup.say("go slowly")
    await setup.ada.sees(thread, "A first part", within=20)
    for text in QUEUED:
        written = await setup.ada.write(thread, text)
        await setup.ada.sees(thread, lambda seen, after=written.id: "Queued" in shown(seen) and seen.id > after)
    return thread


async def held(setup: BotSetup, thread: DiscordChannel) -> DiscordMessage:
    fits = lambda seen: "3 queued messages are on hold." in shown(seen) and bool(buttons(seen))  # noqa: E731
    return await setup.ada.sees(thread, fits, within=20)


async def stopped(setup: BotSetup, thread: DiscordChannel, how: str) -> str:
    answer = await setup.ada.command(thread, how)
    return shown(await answer.finished())


def answered(setup: BotSetup, thread: DiscordChannel) -> list[str]:
    return [text for text in QUEUED if f"You said: {text}" in setup.text(thread)]


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_a_stop_holds_the_queue_and_says_so(setup: BotSetup, how: str) -> None:
    async with setup.bot():
        thread = await busy(setup)
        assert "3 queued messages are on hold." in await stopped(setup, thread, how)
        note = await held(setup, thread)
        assert buttons(note) == ["Run them", "Cancel them"]
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        await setup.done(thread, 2)
        assert answered(setup, thread) == []
        assert buttons(note) == ["Run them", "Cancel them"]


async def test_a_second_stop_still_holds_it(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        assert "process was ended. 3 queued messages are on hold." in await stopped(setup, thread, "stop")
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        assert answered(setup, thread) == []


async def test_what_is_on_hold_runs_in_its_order_when_somebody_says_so(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        note = await held(setup, thread)
        answer = await setup.ada.click(note, "Run them")
        assert not answer.failed
        await setup.done(thread, 4)
        await setup.ada.sees_gone(note)
        text = setup.text(thread)
        assert [text.index(f"You said: {each}") for each in QUEUED] == sorted(
            text.index(f"You said: {each}") for each in QUEUED
        )


async def test_what_is_on_hold_is_dropped_when_somebody_says_so(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        note = await held(setup, thread)
        await setup.ada.click(note, "Cancel them")
        await setup.ada.sees_gone(note)
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        assert answered(setup, thread) == []
        assert running.store.waiting_prompts(thread.id) == []
        assert "On hold" not in setup.text(thread)


async def test_one_of_those_on_hold_can_be_run_or_cancelled_by_itself(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        note = await held(setup, thread)
        notes = [
            message
            for message in setup.ada.messages(thread)
            if "Queued" in shown(message) or "On hold" in shown(message)
        ]
        assert len(notes) == 3
        for each in notes:
            await setup.becomes(each, "On hold")
        await setup.ada.click(notes[2], "Send now")
        await setup.ada.sees(thread, "You said: Number three", within=20)
        await setup.becomes(note, "2 queued messages are on hold.")
        await setup.ada.click(notes[0], "Cancel")
        await setup.becomes(note, "1 queued message is on hold.")
        assert buttons(note) == ["Run it", "Cancel it"]
        assert answered(setup, thread) == ["Number three"]


async def test_a_stranger_neither_runs_nor_drops_them(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        note = await held(setup, thread)
        for button in ("Run them", "Cancel them"):
            answer = await setup.discord_server.eve.click(note, button)
            assert answer.ephemeral
            assert MAY_NOT_TALK in answer.text
        assert buttons(note) == ["Run them", "Cancel them"]


async def test_they_stay_on_hold_over_a_restart(setup: BotSetup, let_go: Callable[[], None]) -> None:
    async with setup.bot():
        thread = await busy(setup)
        await stopped(setup, thread, "stop")
        note = await held(setup, thread)
    let_go()
    async with setup.bot():
        await setup.ada.write(thread, "Something else")
        await setup.ada.sees(thread, "You said: Something else", within=20)
        assert answered(setup, thread) == []
        await setup.ada.click(note, "Run them")
        await setup.ada.sees(thread, "You said: Number three", within=20)
        await setup.ada.sees_gone(note)
