"""What is written while Claude works: it waits, can be hurried, changed and taken back, and is never lost."""

from collections.abc import Callable

from sandbox.discord import Upload
from tests.fixtures.house import House, buttons, shown


async def test_a_queued_prompt_is_sent_now_and_interrupts(house: House) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        await house.ada.write(thread, "Something better")
        note = await house.ada.sees(thread, "Queued")
        assert buttons(note) == ["Send now", "Take back"]
        answer = await house.ada.click(note, "Send now")
        assert not answer.failed
        await house.ada.sees(thread, "You said: Something better", within=20)
        await house.ada.sees_gone(note)
        assert "A second part" not in house.text(thread)
        await house.ada.sees(thread, "Stopped")


async def test_what_is_sent_now_withdraws_the_open_card_and_says_why(house: House) -> None:
    async with house.bot():
        thread = await house.say("ask")
        card = await house.card(thread, "touch made.txt")
        await house.ada.write(thread, "Something better")
        await house.ada.click(await house.ada.sees(thread, "Queued"), "Send now")
        await house.becomes(card, "stopped by ada")
        assert buttons(card) == []
        await house.ada.sees(thread, "You said: Something better", within=20)


async def test_the_hurried_prompt_runs_before_those_that_were_written_earlier(house: House) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        await house.ada.write(thread, "Number one")
        await house.ada.sees(thread, "Queued")
        late = await house.ada.write(thread, "Number two")
        note = await house.ada.sees(thread, lambda seen: "Queued" in seen.text and seen.id > late.id)
        await house.ada.click(note, "Send now")
        await house.done(thread, 3)
        text = house.text(thread)
        assert text.index("You said: Number two") < text.index("You said: Number one")


async def test_a_queued_prompt_is_taken_back_by_its_button_or_by_deleting_it(
    house: House, let_go: Callable[[], None]
) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        await house.ada.write(thread, "Not this")
        note = await house.ada.sees(thread, "Queued")
        await house.ada.click(note, "Take back")
        await house.ada.sees_gone(note)
        message = await house.ada.write(thread, "Nor this")
        note = await house.ada.sees(thread, "Queued")
        await house.ada.delete(message)
        await house.ada.sees_gone(note)
        let_go()
        await house.ada.write(thread, "But this")
        await house.ada.sees(thread, "You said: But this", within=20)
        assert "You said: N" not in house.text(thread)


async def test_an_edited_queued_prompt_runs_as_it_says_now(house: House, let_go: Callable[[], None]) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        message = await house.ada.write(thread, "Say helo")
        await house.ada.sees(thread, "Queued")
        await house.ada.edit(message, "Say hello")
        await house.ada.sees(thread, "as you edited it")
        let_go()
        await house.ada.sees(thread, "You said: Say hello", within=20)


async def test_an_edit_keeps_the_long_text_that_came_along(house: House, let_go: Callable[[], None]) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        long = Upload("message.txt", b"A long story", "text/plain")
        message = await house.ada.write(thread, "Sum up:", files=[long])
        await house.ada.sees(thread, "Queued")
        await house.ada.edit(message, "Translate:")
        await house.ada.sees(thread, "as you edited it")
        let_go()
        told = await house.ada.sees(thread, "You said: Translate:", within=20)
        assert "A long story" in told.text


async def test_an_edit_that_comes_too_late_is_offered_to_be_sent(house: House) -> None:
    async with house.bot():
        thread = await house.say("Hello")
        await house.done(thread)
        message = await house.ada.write(thread, "Say helo")
        await house.ada.sees(thread, "You said: Say helo", within=20)
        await house.ada.edit(message, "Say hello")
        note = await house.ada.sees(thread, "as it was before the edit")
        await house.ada.click(note, "Send the new version")
        await house.ada.sees(thread, "You said: Say hello", within=20)
        await house.ada.sees_gone(note)


async def test_an_edit_of_the_message_that_the_thread_was_opened_on_counts_too(house: House) -> None:
    async with house.bot():
        message = await house.ada.write(house.channel, "Helo")
        await house.ada.sees(house.channel, lambda seen: seen is message and seen.thread is not None, within=20)
        assert message.thread is not None
        await house.done(message.thread)
        await house.ada.edit(message, "Hello")
        note = await house.ada.sees(message.thread, "as it was before the edit")
        await house.ada.click(note, "Send the new version")
        await house.ada.sees(message.thread, "You said: Hello", within=20)


async def test_an_old_prompt_that_is_edited_changes_nothing(house: House) -> None:
    async with house.bot():
        thread = await house.say("Hello")
        await house.done(thread)
        old = await house.ada.write(thread, "One")
        await house.done(thread, 2)
        await house.ada.write(thread, "Two")
        await house.done(thread, 3)
        await house.ada.edit(old, "One more")
        await house.ada.write(thread, "Three")
        await house.done(thread, 4)
        assert "before the edit" not in house.text(thread)


async def test_a_stranger_sends_nothing_now(house: House) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        await house.ada.write(thread, "Another thing")
        note = await house.ada.sees(thread, "Queued")
        answer = await house.workshop.eve.click(note, "Send now")
        assert answer.ephemeral
        assert "not among those" in answer.text
        assert buttons(note) == ["Send now", "Take back"]


async def test_the_queue_of_a_bot_that_left_is_still_there_and_can_be_hurried(house: House) -> None:
    async with house.bot():
        thread = await house.say("go slowly")
        await house.ada.sees(thread, "A first part", within=20)
        message = await house.ada.write(thread, "Later")
        await house.ada.sees(thread, "Queued")
    async with house.bot():
        await house.ada.sees(thread, "You said: Later", within=20)
    assert not message.deleted
    assert "Queued" not in "\n".join(shown(each) for each in house.ada.messages(thread))
