"""A stop holds what is queued: nothing runs behind the back of somebody who said stop, and nothing is lost."""

from collections.abc import Callable

import pytest

from sandbox.discord import DiscordChannel, DiscordMessage
from tests.fixtures.house import House, buttons, shown

QUEUED = ("Number one", "Number two", "Number three")


async def busy(house: House) -> DiscordChannel:
    """A thread in which Claude works, with three messages queued."""
    thread = await house.say("go slowly")
    await house.ada.sees(thread, "A first part", within=20)
    for text in QUEUED:
        written = await house.ada.write(thread, text)
        await house.ada.sees(thread, lambda seen, after=written.id: "Queued" in shown(seen) and seen.id > after)
    return thread


async def held(house: House, thread: DiscordChannel) -> DiscordMessage:
    fits = lambda seen: "3 queued messages are on hold." in shown(seen) and bool(buttons(seen))  # noqa: E731
    return await house.ada.sees(thread, fits, within=20)


async def stopped(house: House, thread: DiscordChannel, how: str) -> str:
    answer = await house.ada.command(thread, how)
    return shown(await answer.finished())


def answered(house: House, thread: DiscordChannel) -> list[str]:
    return [text for text in QUEUED if f"You said: {text}" in house.text(thread)]


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_a_stop_holds_the_queue_and_says_so(house: House, how: str) -> None:
    async with house.bot():
        thread = await busy(house)
        assert "3 queued messages are on hold." in await stopped(house, thread, how)
        note = await held(house, thread)
        assert buttons(note) == ["Run them", "Drop them"]
        await house.ada.write(thread, "Something else")
        await house.ada.sees(thread, "You said: Something else", within=20)
        await house.done(thread, 2)
        assert answered(house, thread) == []
        assert buttons(note) == ["Run them", "Drop them"]


async def test_a_second_stop_still_holds_it(house: House) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        assert "process is ended. 3 queued messages are on hold." in await stopped(house, thread, "stop")
        await house.ada.write(thread, "Something else")
        await house.ada.sees(thread, "You said: Something else", within=20)
        assert answered(house, thread) == []


async def test_what_is_on_hold_runs_in_its_order_when_somebody_says_so(house: House) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        note = await held(house, thread)
        answer = await house.ada.click(note, "Run them")
        assert not answer.failed
        await house.done(thread, 4)
        await house.ada.sees_gone(note)
        text = house.text(thread)
        assert [text.index(f"You said: {each}") for each in QUEUED] == sorted(
            text.index(f"You said: {each}") for each in QUEUED
        )


async def test_what_is_on_hold_is_dropped_when_somebody_says_so(house: House) -> None:
    async with house.bot() as conversations:
        thread = await busy(house)
        await stopped(house, thread, "stop")
        note = await held(house, thread)
        await house.ada.click(note, "Drop them")
        await house.ada.sees_gone(note)
        await house.ada.write(thread, "Something else")
        await house.ada.sees(thread, "You said: Something else", within=20)
        assert answered(house, thread) == []
        assert conversations.store.waiting_prompts(thread.id) == []
        assert "On hold" not in house.text(thread)


async def test_one_of_those_on_hold_can_be_run_or_taken_back_by_itself(house: House) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        note = await held(house, thread)
        notes = [
            message
            for message in house.ada.messages(thread)
            if "Queued" in shown(message) or "On hold" in shown(message)
        ]
        assert len(notes) == 3
        for each in notes:
            await house.becomes(each, "On hold")
        await house.ada.click(notes[2], "Send now")
        await house.ada.sees(thread, "You said: Number three", within=20)
        await house.becomes(note, "2 queued messages are on hold.")
        await house.ada.click(notes[0], "Take back")
        await house.becomes(note, "1 queued message is on hold.")
        assert answered(house, thread) == ["Number three"]


async def test_a_stranger_neither_runs_nor_drops_them(house: House) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        note = await held(house, thread)
        for button in ("Run them", "Drop them"):
            answer = await house.workshop.eve.click(note, button)
            assert answer.ephemeral
            assert "not among those" in answer.text
        assert buttons(note) == ["Run them", "Drop them"]


async def test_they_stay_on_hold_over_a_restart(house: House, let_go: Callable[[], None]) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        note = await held(house, thread)
    let_go()
    async with house.bot():
        await house.ada.write(thread, "Something else")
        await house.ada.sees(thread, "You said: Something else", within=20)
        assert answered(house, thread) == []
        await house.ada.click(note, "Run them")
        await house.ada.sees(thread, "You said: Number three", within=20)
        await house.ada.sees_gone(note)
