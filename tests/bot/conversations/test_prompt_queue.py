"""Tests that prompts written while Claude works wait, can be sent now, edited or cancelled, and are never lost."""

from collections.abc import Callable

from bot.refusals import MAY_NOT_TALK
from sandbox.discord import Upload
from tests.fixtures.bot_setup import BotSetup, buttons, shown


async def test_a_queued_prompt_is_sent_now_and_interrupts(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        await setup.ada.write(thread, "Something better")
        note = await setup.ada.sees(thread, "Queued")
        assert buttons(note) == ["Send now", "Cancel"]
        answer = await setup.ada.click(note, "Send now")
        assert not answer.failed
        await setup.ada.sees(thread, "You said: Something better", within=20)
        await setup.ada.sees_gone(note)
        assert "A second part" not in setup.text(thread)
        await setup.ada.sees(thread, "Stopped")


async def test_what_is_sent_now_withdraws_the_open_card_and_says_why(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("ask")
        card = await setup.card(thread, "touch made.txt")
        await setup.ada.write(thread, "Something better")
        await setup.ada.click(await setup.ada.sees(thread, "Queued"), "Send now")
        await setup.becomes(card, "stopped by ada")
        assert buttons(card) == []
        await setup.ada.sees(thread, "You said: Something better", within=20)


async def test_the_hurried_prompt_runs_before_those_that_were_written_earlier(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        await setup.ada.write(thread, "Number one")
        await setup.ada.sees(thread, "Queued")
        late = await setup.ada.write(thread, "Number two")
        note = await setup.ada.sees(thread, lambda seen: "Queued" in seen.text and seen.id > late.id)
        await setup.ada.click(note, "Send now")
        await setup.done(thread, 3)
        text = setup.text(thread)
        assert text.index("You said: Number two") < text.index("You said: Number one")


async def test_a_queued_prompt_is_cancelled_by_its_button_or_by_deleting_it(
    setup: BotSetup, let_go: Callable[[], None]
) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        await setup.ada.write(thread, "Not this")
        note = await setup.ada.sees(thread, "Queued")
        await setup.ada.click(note, "Cancel")
        await setup.ada.sees_gone(note)
        message = await setup.ada.write(thread, "Nor this")
        note = await setup.ada.sees(thread, "Queued")
        await setup.ada.delete(message)
        await setup.ada.sees_gone(note)
        let_go()
        await setup.ada.write(thread, "But this")
        await setup.ada.sees(thread, "You said: But this", within=20)
        assert "You said: N" not in setup.text(thread)


async def test_an_edited_queued_prompt_runs_as_it_says_now(setup: BotSetup, let_go: Callable[[], None]) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        message = await setup.ada.write(thread, "Say helo")
        await setup.ada.sees(thread, "Queued")
        await setup.ada.edit(message, "Say hello")
        await setup.ada.sees(thread, "Queued with your edit")
        let_go()
        await setup.ada.sees(thread, "You said: Say hello", within=20)


async def test_an_edit_keeps_the_long_text_that_came_along(setup: BotSetup, let_go: Callable[[], None]) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        long = Upload("message.txt", b"A long story", "text/plain")
        message = await setup.ada.write(thread, "Sum up:", files=[long])
        await setup.ada.sees(thread, "Queued")
        await setup.ada.edit(message, "Translate:")
        await setup.ada.sees(thread, "Queued with your edit")
        let_go()
        told = await setup.ada.sees(thread, "You said: Translate:", within=20)
        assert "A long story" in told.text


async def test_an_edit_that_comes_too_late_is_offered_to_be_sent(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        message = await setup.ada.write(thread, "Say helo")
        await setup.ada.sees(thread, "You said: Say helo", within=20)
        await setup.ada.edit(message, "Say hello")
        note = await setup.ada.sees(thread, "before you edited it")
        await setup.ada.click(note, "Send the new version")
        await setup.ada.sees(thread, "You said: Say hello", within=20)
        await setup.ada.sees_gone(note)


async def test_an_edit_of_the_message_that_the_thread_was_opened_on_counts_too(setup: BotSetup) -> None:
    async with setup.bot():
        message = await setup.ada.write(setup.channel, "Helo")
        await setup.ada.sees(setup.channel, lambda seen: seen is message and seen.thread is not None, within=20)
        assert message.thread is not None
        await setup.done(message.thread)
        await setup.ada.edit(message, "Hello")
        note = await setup.ada.sees(message.thread, "before you edited it")
        await setup.ada.click(note, "Send the new version")
        await setup.ada.sees(message.thread, "You said: Hello", within=20)


async def test_an_old_prompt_that_is_edited_changes_nothing(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        old = await setup.ada.write(thread, "One")
        await setup.done(thread, 2)
        await setup.ada.write(thread, "Two")
        await setup.done(thread, 3)
        await setup.ada.edit(old, "One more")
        await setup.ada.write(thread, "Three")
        await setup.done(thread, 4)
        assert "before you edited it" not in setup.text(thread)


async def test_a_stranger_sends_nothing_now(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        await setup.ada.write(thread, "Another thing")
        note = await setup.ada.sees(thread, "Queued")
        answer = await setup.discord_server.eve.click(note, "Send now")
        assert answer.ephemeral
        assert MAY_NOT_TALK in answer.text
        assert buttons(note) == ["Send now", "Cancel"]


async def test_the_queue_of_a_bot_that_left_is_still_there_and_can_be_hurried(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("go slowly")
        await setup.ada.sees(thread, "A first part", within=20)
        message = await setup.ada.write(thread, "Later")
        await setup.ada.sees(thread, "Queued")
    async with setup.bot():
        await setup.ada.sees(thread, "You said: Later", within=20)
    assert not message.deleted
    assert "Queued" not in "\n".join(shown(each) for each in setup.ada.messages(thread))
