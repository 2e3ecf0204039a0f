"""A stop holds the queue whatever happens around it."""

from tests.conversation.test_stopping import answered, busy, held, stopped
from tests.rooms.house import moderator
from tests.roundtrip.house import House, buttons, shown


async def test_two_threads_have_each_their_own_note(house: House) -> None:
    async with house.bot():
        one = await busy(house)
        two = await busy(house)
        await stopped(house, one, "stop")
        first = await held(house, one)
        await stopped(house, two, "stop")
        second = await held(house, two)
        await house.ada.click(first, "Drop them")
        await house.ada.sees_gone(first)
        assert not second.deleted
        assert buttons(second) == ["Run them", "Drop them"]
        await house.ada.click(second, "Run them")
        await house.ada.sees(two, "You said: Number three", within=20)
        assert answered(house, one) == []


async def test_an_edited_message_on_hold_is_still_on_hold_and_says_so(house: House) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        await held(house, thread)
        message = next(m for m in house.ada.messages(thread) if m.content == "Number two")
        await house.ada.edit(message, "Number five")
        await house.ada.write(thread, "Something else")
        await house.ada.sees(thread, "You said: Something else", within=20)
        notes = [shown(m) for m in house.ada.messages(thread) if "Send now" in buttons(m)]
        assert len(notes) == 3
        assert all("On hold" in note for note in notes), notes


async def test_a_deleted_note_of_what_is_on_hold_comes_back(house: House) -> None:
    async with house.bot():
        thread = await busy(house)
        await stopped(house, thread, "stop")
        note = await held(house, thread)
        await moderator(house, "mod").delete(note)
        again = await house.ada.sees(
            thread,
            lambda m: m is not note and "3 queued messages are on hold." in shown(m) and bool(buttons(m)),
            within=10,
        )
        await house.ada.click(again, "Run them")
        await house.ada.sees(thread, "You said: Number three", within=20)
