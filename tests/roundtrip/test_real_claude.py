"""A person writes in Discord, the real `claude` works, asks, is answered, and goes on."""

from sandbox.messages_api import MessagesApi
from sandbox.script import Say, Use, script
from tests.fixtures.house import House, buttons, shown

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def test_an_allowed_command_runs_and_claude_goes_on(house: House, api: MessagesApi) -> None:
    api.on("make a file", script([Say("I will."), TOUCH], [Say("It is there.")]))
    thread = await house.say("Please make a file")
    card = await house.card(thread, "touch made.txt")
    assert buttons(card)[:2] == ["Allow", "Deny"]
    answer = await house.ada.click(card, "Allow")
    assert not answer.failed
    await house.ada.sees(thread, "It is there.")
    assert (house.project / "made.txt").exists()
    assert buttons(card) == []
    assert f"<@{house.ada.user.id}>" in shown(card)
    await house.done(thread)


async def test_a_denied_command_does_not_run_and_claude_is_told(house: House, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("Then I won't.")]))
    thread = await house.say("Please make a file")
    card = await house.card(thread, "touch made.txt")
    await house.ada.click(card, "Deny")
    heard = await api.reached("make a file", 1)
    assert "The user said no." in heard.told
    await house.done(thread)
    assert "Then I won't." in house.text(thread)
    assert not (house.project / "made.txt").exists()
    assert "Denied" in shown(card)
    assert buttons(card) == []


async def test_claude_reads_the_reason_of_a_denial(house: House, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("Another name, then.")]))
    thread = await house.say("Please make a file")
    card = await house.card(thread, "touch made.txt")
    form = await house.ada.click(card, "Deny…")
    await house.ada.submit(form.modal, {"Claude reads this": "Not in this folder, please: `build/` is for that."})
    heard = await api.reached("make a file", 1)
    assert "Not in this folder, please: `build/` is for that." in heard.told
    assert "Not in this folder" in shown(card)
    await house.done(thread)


async def test_a_command_runs_as_a_person_changed_it(house: House, api: MessagesApi) -> None:
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    thread = await house.say("Please make a file")
    card = await house.card(thread, "touch made.txt")
    form = await house.ada.click(card, "Edit…")
    assert form.modal is not None
    await house.ada.submit(form.modal, {form.modal.fields[0].custom_id: "touch other.txt"})
    await house.done(thread)
    assert (house.project / "other.txt").exists()
    assert not (house.project / "made.txt").exists()
    assert "+touch other.txt" in shown(card)
    assert "`$ touch other.txt` ✓ · edited" in house.text(thread)
    assert "$ touch made.txt" not in house.text(thread).replace(shown(card), "")


async def test_three_requests_at_once_are_three_cards(house: House, api: MessagesApi) -> None:
    names = ("one", "two", "three")
    outside = house.root / "outside"
    outside.mkdir()
    for name in names:
        (outside / f"{name}.txt").write_text(f"the content of {name}\n")
    reads = [Use("Read", {"file_path": str(outside / f"{name}.txt")}) for name in names]
    api.on("read all three", script([Say("Three at once."), *reads], [Say("All read.")]))
    thread = await house.say("Please read all three")
    await house.ada.sees(thread, "3 open requests")
    await house.card(thread, "All 3 at once?")
    cards = {name: await house.card(thread, f"{name}.txt") for name in names}
    assert len({card.id for card in cards.values()}) == 3, "all three wait at the same time"
    await house.ada.click(cards["three"], "Allow")
    await house.ada.click(cards["one"], "Deny")
    await house.ada.click(cards["two"], "Allow")
    heard = await api.reached("read all three", 1)
    said = sorted(outcome.text for outcome in heard.seen.outcomes)
    assert "the content of three" in said[0]
    assert "the content of two" in said[1]
    assert "The user said no." in said[2]
    await house.done(thread)


async def test_an_edit_shows_the_change_and_makes_it(house: House, api: MessagesApi) -> None:
    app = house.project / "app.py"
    app.write_text("import sys\n\nprint('hi')\n")
    edit = {"file_path": str(app), "old_string": "print('hi')", "new_string": "print('hello')"}
    api.on("be polite", script([Use("Read", {"file_path": str(app)})], [Use("Edit", edit)], [Say("Politer now.")]))
    thread = await house.say("Please be polite")
    card = await house.card(thread, "app.py")
    assert "-print('hi')\n+print('hello')" in shown(card)
    await house.ada.click(card, "Allow")
    await house.done(thread)
    assert app.read_text() == "import sys\n\nprint('hello')\n"


async def test_a_file_of_300_kb_is_written_as_it_was_shown(house: House, api: MessagesApi) -> None:
    content = "".join(f'row {number}: ünïcode, "quotes" and \\ slashes\n' for number in range(7000))
    assert len(content.encode()) > 300_000
    big = house.project / "big.txt"
    api.on("write much", script([Use("Write", {"file_path": str(big), "content": content})], [Say("Written.")]))
    thread = await house.say("Please write much")
    card = await house.card(thread, "big.txt")
    assert any("row 6999" in attached.content.decode() for attached in card.attachments), "all of it can be read"
    await house.ada.click(card, "Allow")
    await house.done(thread)
    assert big.read_text() == content


async def test_only_the_tool_that_was_let_through_is_shown_as_running(house: House, api: MessagesApi) -> None:
    go = house.project / "go"
    slow, other = (Use("Bash", {"command": f"until [ -e go ]; do sleep 0.1; done; touch {name}"}) for name in "ab")
    api.on("two of them", script([slow, other], [Say("Both are done.")]))
    thread = await house.say("Please do two of them")
    card = await house.card(thread, "touch a")
    first = await house.ada.sees(thread, "⏸ `$ until")
    second = await house.ada.sees(thread, "Next: `$ until")
    await house.ada.click(card, "Allow")
    await house.becomes(first, "Running `$ until")
    assert "Next: `$ until" in shown(second)
    go.touch()
    await house.ada.click(await house.card(thread, "touch b"), "Allow")
    await house.ada.sees(thread, "Both are done.")


async def test_a_command_that_asks_nobody_is_shown_as_running_after_a_moment(house: House, api: MessagesApi) -> None:
    api.on("look", script([Use("Bash", {"command": "sleep 3 && ls"})], [Say("I have looked.")]))
    thread = await house.say("Please look")
    await house.ada.sees(thread, "Next: `$ sleep 3 && ls`")
    await house.ada.sees(thread, "Running `$ sleep 3 && ls`")
    await house.ada.sees(thread, "I have looked.")
