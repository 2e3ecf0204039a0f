"""Tests a conversation with the real `claude`: it works, asks, gets an answer, and continues."""

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def test_an_allowed_command_runs_and_claude_goes_on(setup: BotSetup, api: MessagesApi) -> None:
    api.on("make a file", script([Say("I will."), TOUCH], [Say("It is there.")]))
    thread = await setup.say("Please make a file")
    card = await setup.card(thread, "touch made.txt")
    assert buttons(card)[:2] == ["Allow", "Deny"]
    answer = await setup.ada.click(card, "Allow")
    assert not answer.failed
    await setup.ada.sees(thread, "It is there.")
    assert (setup.project / "made.txt").exists()
    assert buttons(card) == []
    assert f"<@{setup.ada.user.id}>" in shown(card)
    await setup.done(thread)


async def test_a_denied_command_does_not_run_and_claude_is_told(setup: BotSetup, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("Then I won't.")]))
    thread = await setup.say("Please make a file")
    card = await setup.card(thread, "touch made.txt")
    await setup.ada.click(card, "Deny")
    heard = await api.reached("make a file", 1)
    assert "The user said no." in heard.tool_results
    await setup.done(thread)
    assert "Then I won't." in setup.text(thread)
    assert not (setup.project / "made.txt").exists()
    assert "Denied" in shown(card)
    assert buttons(card) == []


async def test_claude_reads_the_reason_of_a_denial(setup: BotSetup, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("Another name, then.")]))
    thread = await setup.say("Please make a file")
    card = await setup.card(thread, "touch made.txt")
    form = await setup.ada.click(card, "Deny…")
    await setup.ada.submit(form.modal, {"Claude reads this": "Not in this folder, please: `build/` is for that."})
    heard = await api.reached("make a file", 1)
    assert "Not in this folder, please: `build/` is for that." in heard.tool_results
    assert "Not in this folder" in shown(card)
    await setup.done(thread)


async def test_a_command_runs_as_a_person_changed_it(setup: BotSetup, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    thread = await setup.say("Please make a file")
    card = await setup.card(thread, "touch made.txt")
    form = await setup.ada.click(card, "Edit…")
    assert form.modal is not None
    await setup.ada.submit(form.modal, {form.modal.fields[0].custom_id: "touch other.txt"})
    await setup.done(thread)
    assert (setup.project / "other.txt").exists()
    assert not (setup.project / "made.txt").exists()
    assert "+touch other.txt" in shown(card)
    assert "`$ touch other.txt` ✓ · edited" in setup.text(thread)
    assert "$ touch made.txt" not in setup.text(thread).replace(shown(card), "")


async def test_three_requests_at_once_are_three_cards(setup: BotSetup, api: MessagesApi) -> None:
    names = ("one", "two", "three")
    outside = setup.root / "outside"
    outside.mkdir()
    for name in names:
        (outside / f"{name}.txt").write_text(f"the content of {name}\n")
    reads = [Use("Read", {"file_path": str(outside / f"{name}.txt")}) for name in names]
    api.on("read all three", script([Say("Three at once."), *reads], [Say("All read.")]))
    thread = await setup.say("Please read all three")
    await setup.ada.sees(thread, "3 open requests")
    await setup.card(thread, "Allow all 3 at once?")
    cards = {name: await setup.card(thread, f"{name}.txt") for name in names}
    assert len({card.id for card in cards.values()}) == 3, "all three wait at the same time"
    await setup.ada.click(cards["three"], "Allow")
    await setup.ada.click(cards["one"], "Deny")
    await setup.ada.click(cards["two"], "Allow")
    heard = await api.reached("read all three", 1)
    said = sorted(outcome.text for outcome in heard.seen.outcomes)
    assert "the content of three" in said[0]
    assert "the content of two" in said[1]
    assert "The user said no." in said[2]
    await setup.done(thread)


async def test_an_edit_shows_the_change_and_makes_it(setup: BotSetup, api: MessagesApi) -> None:
    app = setup.project / "app.py"
    app.write_text("import sys\n\nprint('hi')\n")
    edit = {"file_path": str(app), "old_string": "print('hi')", "new_string": "print('hello')"}
    api.on("be polite", script([Use("Read", {"file_path": str(app)})], [Use("Edit", edit)], [Say("Politer now.")]))
    thread = await setup.say("Please be polite")
    card = await setup.card(thread, "app.py")
    assert "-print('hi')\n+print('hello')" in shown(card)
    await setup.ada.click(card, "Allow")
    await setup.done(thread)
    assert app.read_text() == "import sys\n\nprint('hello')\n"


async def test_a_file_of_300_kb_is_written_as_it_was_shown(setup: BotSetup, api: MessagesApi) -> None:
    content = "".join(f'row {number}: ünïcode, "quotes" and \\ slashes\n' for number in range(7000))
    assert len(content.encode()) > 300_000
    big = setup.project / "big.txt"
    api.on("write much", script([Use("Write", {"file_path": str(big), "content": content})], [Say("Written.")]))
    thread = await setup.say("Please write much")
    card = await setup.card(thread, "big.txt")
    assert any("row 6999" in attached.content.decode() for attached in card.attachments), "all of it can be read"
    await setup.ada.click(card, "Allow")
    await setup.done(thread)
    assert big.read_text() == content


async def test_only_the_tool_that_was_let_through_is_shown_as_running(setup: BotSetup, api: MessagesApi) -> None:
    go = setup.project / "go"
    slow, other = (Use("Bash", {"command": f"until [ -e go ]; do sleep 0.1; done; touch {name}"}) for name in "ab")
    api.on("two of them", script([slow, other], [Say("Both are done.")]))
    thread = await setup.say("Please do two of them")
    card = await setup.card(thread, "touch a")
    first = await setup.ada.sees(thread, "⏸ `$ until")
    second = await setup.ada.sees(thread, "Next: `$ until")
    await setup.ada.click(card, "Allow")
    await setup.becomes(first, "Running `$ until")
    assert "Next: `$ until" in shown(second)
    go.touch()
    await setup.ada.click(await setup.card(thread, "touch b"), "Allow")
    await setup.ada.sees(thread, "Both are done.")


async def test_a_command_that_asks_nobody_is_shown_as_running_after_a_moment(setup: BotSetup, api: MessagesApi) -> None:
    api.on("look", script([Use("Bash", {"command": "sleep 3 && ls"})], [Say("I have looked.")]))
    thread = await setup.say("Please look")
    await setup.ada.sees(thread, "Next: `$ sleep 3 && ls`")
    await setup.ada.sees(thread, "Running `$ sleep 3 && ls`")
    await setup.ada.sees(thread, "I have looked.")
