"""Turns of the real `claude`: one after the other, stopped, resumed, and begun by Claude itself."""

from sandbox.messages_api import MessagesApi
from sandbox.script import NOTIFIED, Hang, Say, Use, WaitFor, script
from tests.fixtures.house import House, buttons, shown

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def test_a_message_during_a_turn_is_marked_as_queued_and_runs_next(house: House, api: MessagesApi) -> None:
    go = house.root / "go"
    api.on("go slowly", script([Say("The first answer"), WaitFor(str(go)), Say(" in two parts.")]))
    api.on("another thing", script([Say("The second answer.")]))
    thread = await house.say("Please go slowly")
    await house.ada.sees(thread, "The first answer", within=20)
    await house.ada.write(thread, "And another thing")
    mark = await house.ada.sees(thread, "Queued")
    assert not any(heard.marker == "another thing" for heard in api.heard)
    go.touch()
    await house.done(thread, 2)
    await house.ada.sees_gone(mark)
    text = house.text(thread)
    assert text.index("in two parts.") < text.index("The second answer.")
    heard = await api.reached("another thing")
    assert heard.seen.earlier == ("Please go slowly",)


async def test_stop_withdraws_the_open_request_and_keeps_the_session(house: House, api: MessagesApi) -> None:
    api.on("make a file", script([Say("I will."), TOUCH], [Say("It is there.")]))
    thread = await house.say("Please make a file")
    card = await house.card(thread, "touch made.txt")
    answer = await house.ada.command(thread, "stop")
    assert "Stopped" in shown(await answer.finished())
    await house.becomes(card, "Withdrawn")
    assert "stopped by ada" in shown(card)
    assert buttons(card) == []
    await house.done(thread)
    await house.ada.write(thread, "Do something else")
    await house.ada.sees(thread, "You said: Do something else", within=20)
    assert not (house.project / "made.txt").exists()
    assert len(list((house.state / "runs").iterdir())) == 1, "the process was kept"


async def test_a_second_stop_ends_the_process_and_a_new_message_resumes_the_session(
    house: House, api: MessagesApi
) -> None:
    api.on("take forever", script([Say("A beginning with no end"), Hang()]))
    thread = await house.say("Please take forever")
    await house.ada.sees(thread, "A beginning with no end", within=20)
    assert "Stopped" in shown(await (await house.ada.command(thread, "stop")).finished())
    await house.done(thread)
    assert "process is ended" in shown(await (await house.ada.command(thread, "stop")).finished())
    await house.ada.write(thread, "Where were we?")
    await house.ada.sees(thread, "You said: Where were we?", within=20)
    last = [heard for heard in api.heard if heard.seen.prompt == "Where were we?"][-1]
    assert "Please take forever" in last.seen.earlier
    assert len(list((house.state / "runs").iterdir())) == 2
    await house.done(thread, 2)


async def test_a_bot_that_was_stopped_goes_on_with_the_session(empty_house: House, api: MessagesApi) -> None:
    house = empty_house
    async with house.bot():
        thread = await house.say("Remember the number 42")
        await house.done(thread)
    async with house.bot():
        await house.ada.write(thread, "Which number?")
        await house.ada.sees(thread, "You said: Which number?", within=20)
        await house.done(thread, 2)
    last = [heard for heard in api.heard if heard.seen.prompt == "Which number?"][-1]
    assert last.seen.earlier == ("Remember the number 42",)


async def test_a_bot_that_is_stopped_withdraws_its_open_card(empty_house: House, api: MessagesApi) -> None:
    house = empty_house
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    async with house.bot():
        thread = await house.say("Please make a file")
        card = await house.card(thread, "touch made.txt")
    assert "Withdrawn" in shown(card)
    assert "the bot was stopped" in shown(card)
    assert buttons(card) == []
    assert not (house.project / "made.txt").exists()


async def test_a_subagent_that_outlives_the_turn_asks_and_starts_a_turn_of_its_own(
    house: House, api: MessagesApi
) -> None:
    go = house.root / "go"
    count = {"description": "Count the files", "prompt": "SUBAGENT", "run_in_background": True}
    api.on("count them", script([Use("Agent", count)], [Say("It counts in the background.")]))
    api.on("SUBAGENT", script([WaitFor(str(go)), Say("Counting."), TOUCH], [Say("There are three files.")]))
    api.on(NOTIFIED, script([Say("The subagent says: three.")]))
    thread = await house.say("Please count them")
    await house.done(thread)
    assert "It counts in the background." in house.text(thread)
    go.touch()
    card = await house.card(thread, "touch made.txt")
    assert "subagent: Count the files" in shown(card)
    await house.ada.click(card, "Allow")
    await house.ada.sees(thread, "The subagent says: three.", within=20)
    await house.done(thread, 2)
    assert (house.project / "made.txt").exists()
    assert buttons(card) == []


async def test_two_threads_run_at_the_same_time(house: House, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    api.on("make another", script([Use("Bash", {"command": "touch another.txt"})], [Say("There is another.")]))
    first = await house.say("Please make a file")
    second = await house.say("Please make another")
    one, two = await house.card(first, "touch made.txt"), await house.card(second, "touch another.txt")
    await house.ada.click(two, "Allow")
    await house.done(second)
    assert buttons(one), "the other thread still waits"
    await house.ada.click(one, "Allow")
    await house.done(first)
    assert (house.project / "made.txt").exists()
    assert (house.project / "another.txt").exists()
