"""Tests turns of the real `claude`: in sequence, stopped, resumed, and started by Claude itself."""

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import NOTIFIED, Hang, Say, Use, WaitFor, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def test_a_message_during_a_turn_is_marked_as_queued_and_runs_next(setup: BotSetup, api: MessagesApi) -> None:
    go = setup.root / "go"
    api.on("go slowly", script([Say("The first answer"), WaitFor(str(go)), Say(" in two parts.")]))
    api.on("another thing", script([Say("The second answer.")]))
    thread = await setup.say("Please go slowly")
    await setup.ada.sees(thread, "The first answer", within=20)
    await setup.ada.write(thread, "And another thing")
    mark = await setup.ada.sees(thread, "Queued")
    assert not any(call.marker == "another thing" for call in api.calls)
    go.touch()
    await setup.done(thread, 2)
    await setup.ada.sees_gone(mark)
    text = setup.text(thread)
    assert text.index("in two parts.") < text.index("The second answer.")
    heard = await api.reached("another thing")
    assert heard.seen.earlier == ("Please go slowly",)


async def test_stop_withdraws_the_open_request_and_keeps_the_session(setup: BotSetup, api: MessagesApi) -> None:
    api.on("make a file", script([Say("I will."), TOUCH], [Say("It is there.")]))
    thread = await setup.say("Please make a file")
    card = await setup.card(thread, "touch made.txt")
    answer = await setup.ada.command(thread, "stop")
    assert "Stopped" in shown(await answer.finished())
    await setup.becomes(card, "Withdrawn")
    assert "stopped by ada" in shown(card)
    assert buttons(card) == []
    await setup.done(thread)
    await setup.ada.write(thread, "Do something else")
    await setup.ada.sees(thread, "You said: Do something else", within=20)
    assert not (setup.project / "made.txt").exists()
    assert len(list((setup.state / "runs").iterdir())) == 1, "the process was kept"


async def test_a_second_stop_ends_the_process_and_a_new_message_resumes_the_session(
    setup: BotSetup, api: MessagesApi
) -> None:
    api.on("take forever", script([Say("A beginning with no end"), Hang()]))
    thread = await setup.say("Please take forever")
    await setup.ada.sees(thread, "A beginning with no end", within=20)
    assert "Stopped" in shown(await (await setup.ada.command(thread, "stop")).finished())
    await setup.done(thread)
    assert "process was ended" in shown(await (await setup.ada.command(thread, "stop")).finished())
    await setup.ada.write(thread, "Where were we?")
    await setup.ada.sees(thread, "You said: Where were we?", within=20)
    last = [call for call in api.calls if call.seen.prompt == "Where were we?"][-1]
    assert "Please take forever" in last.seen.earlier
    assert len(list((setup.state / "runs").iterdir())) == 2
    await setup.done(thread, 2)


async def test_a_bot_that_was_stopped_goes_on_with_the_session(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    async with setup.bot():
        thread = await setup.say("Remember the number 42")
        await setup.done(thread)
    async with setup.bot():
        await setup.ada.write(thread, "Which number?")
        await setup.ada.sees(thread, "You said: Which number?", within=20)
        await setup.done(thread, 2)
    last = [call for call in api.calls if call.seen.prompt == "Which number?"][-1]
    assert last.seen.earlier == ("Remember the number 42",)


async def test_a_bot_that_is_stopped_withdraws_its_open_card(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    async with setup.bot():
        thread = await setup.say("Please make a file")
        card = await setup.card(thread, "touch made.txt")
    assert "Withdrawn" in shown(card)
    assert "the bot was stopped" in shown(card)
    assert buttons(card) == []
    assert not (setup.project / "made.txt").exists()


async def test_a_subagent_that_outlives_the_turn_asks_and_starts_a_turn_of_its_own(
    setup: BotSetup, api: MessagesApi
) -> None:
    go = setup.root / "go"
    count = {"description": "Count the files", "prompt": "SUBAGENT", "run_in_background": True}
    api.on("count them", script([Use("Agent", count)], [Say("It counts in the background.")]))
    api.on("SUBAGENT", script([WaitFor(str(go)), Say("Counting."), TOUCH], [Say("There are three files.")]))
    api.on(NOTIFIED, script([Say("The subagent says: three.")]))
    thread = await setup.say("Please count them")
    await setup.done(thread)
    assert "It counts in the background." in setup.text(thread)
    go.touch()
    card = await setup.card(thread, "touch made.txt")
    assert "subagent: Count the files" in shown(card)
    await setup.ada.click(card, "Allow")
    await setup.ada.sees(thread, "The subagent says: three.", within=20)
    await setup.done(thread, 2)
    assert (setup.project / "made.txt").exists()
    assert buttons(card) == []


async def test_two_threads_run_at_the_same_time(setup: BotSetup, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    api.on("make another", script([Use("Bash", {"command": "touch another.txt"})], [Say("There is another.")]))
    first = await setup.say("Please make a file")
    second = await setup.say("Please make another")
    one, two = await setup.card(first, "touch made.txt"), await setup.card(second, "touch another.txt")
    await setup.ada.click(two, "Allow")
    await setup.done(second)
    assert buttons(one), "the other thread still waits"
    await setup.ada.click(one, "Allow")
    await setup.done(first)
    assert (setup.project / "made.txt").exists()
    assert (setup.project / "another.txt").exists()
