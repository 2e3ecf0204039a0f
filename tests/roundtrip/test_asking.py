"""The real `claude` asks a person: questions, and whether its plan is good."""

import re
from typing import Any

from sandbox.api import Api
from sandbox.discord import Message
from sandbox.discord.entities import walk
from sandbox.script import Block, Say, Seen, Use, script
from tests.roundtrip.house import House, buttons, shown

PLAN = "# A small plan\n\n1. Read the code.\n2. Change it.\n"


def question(text: str, header: str, *labels: str, several: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": f"About {label}"} for label in labels]
    return {"question": text, "header": header, "multiSelect": several, "options": options}


DATABASE = question("Which database should we use?", "Database", "SQLite", "Postgres")
EXTRAS = question("Which extras do you want?", "Extras", "Backups", "Metrics", "Search", several=True)
NAME = question("What shall it be called?", "Name", "Alpha", "Beta")


def ask(api: Api, *questions: dict[str, Any]) -> None:
    api.on("ask me", script([Use("AskUserQuestion", {"questions": list(questions)})], [Say("Thank you.")]))


async def test_a_single_choice_is_the_whole_answer(house: House, api: Api) -> None:
    ask(api, DATABASE)
    thread = await house.say("Please ask me")
    card = await house.card(thread, "Which database should we use?")
    await house.ada.select(card, "Database", ["2. Postgres"])
    heard = await api.reached("ask me", 1)
    assert '"Which database should we use?"="Postgres"' in heard.told
    await house.done(thread)
    assert "➜ **Postgres**" in shown(card)
    assert buttons(card) == []


async def test_several_choices_are_sent_together(house: House, api: Api) -> None:
    ask(api, EXTRAS)
    thread = await house.say("Please ask me")
    card = await house.card(thread, "Which extras do you want?")
    await house.ada.select(card, "Extras", ["1. Backups", "3. Search"])
    await house.ada.click(card, "Send")
    heard = await api.reached("ask me", 1)
    assert '"Which extras do you want?"="Backups, Search"' in heard.told
    await house.done(thread)


async def test_own_words_answer_a_question(house: House, api: Api) -> None:
    ask(api, NAME)
    thread = await house.say("Please ask me")
    card = await house.card(thread, "What shall it be called?")
    form = await house.ada.click(card, "Other…")
    await house.ada.submit(form.modal, {"Your answer": "Gamma, if it is free"})
    heard = await api.reached("ask me", 1)
    assert '"What shall it be called?"="Gamma, if it is free"' in heard.told
    await house.done(thread)


async def test_three_questions_are_answered_each_in_its_way(house: House, api: Api) -> None:
    ask(api, DATABASE, EXTRAS, NAME)
    thread = await house.say("Please ask me")
    card = await house.card(thread, "Claude asks 3 things")
    assert "Send" not in buttons(card), "nothing can be sent before all is answered"
    await house.ada.select(card, "Extras", ["2. Metrics", "1. Backups"])
    await house.ada.select(card, "Database", ["1. SQLite"])
    form = await house.ada.click(card, other(card, 2))
    await house.ada.submit(form.modal, {"Your answer": "Gamma"})
    await house.ada.click(card, "Send")
    told = (await api.reached("ask me", 1)).told
    assert '"Which database should we use?"="SQLite"' in told
    assert re.search(r'"Which extras do you want\?"="(Backups, Metrics|Metrics, Backups)"', told)
    assert '"What shall it be called?"="Gamma"' in told
    await house.done(thread)


async def test_a_written_message_answers_the_open_question(house: House, api: Api) -> None:
    ask(api, NAME)
    thread = await house.say("Please ask me")
    await house.card(thread, "What shall it be called?")
    await house.ada.write(thread, "Delta")
    heard = await api.reached("ask me", 1)
    assert '"What shall it be called?"="Delta"' in heard.told
    await house.done(thread)


def other(card: Message, number: int) -> str:
    """Name the button for own words of one of several questions: they all have the same label."""
    ids = [each.get("custom_id", "") for each in walk(card.components)]
    return next(id_ for id_ in ids if id_.endswith(f":other:{number}"))


def write_plan(seen: Seen) -> list[Block]:
    """Write the plan where the CLI wants it: the name is in what it told Claude beside the prompt."""
    found = re.search(r"\S+/\.claude/plans/\S+?\.md", seen.notes)
    assert found is not None
    return [Use("Write", {"file_path": found[0], "content": PLAN})]


PROPOSE = Use("ExitPlanMode", {"plan": PLAN})
TOUCH = Use("Bash", {"command": "touch made.txt"})


async def test_an_approved_plan_is_carried_out(empty_house: House, api: Api) -> None:
    house = empty_house
    house.project_settings["permission_mode"] = "plan"
    api.on("plan it", script(write_plan, [PROPOSE], [TOUCH], [Say("Carried out.")]))
    async with house.bot():
        thread = await house.say("Please plan it")
        plan = await house.card(thread, "A small plan")
        assert buttons(plan)[:3] == ["Approve", "Approve, accept edits", "Keep planning…"]
        await house.ada.click(plan, "Approve")
        await house.ada.click(await house.card(thread, "touch made.txt"), "Allow")
        await house.done(thread)
    assert "Carried out." in house.text(thread)
    assert (house.project / "made.txt").exists()
    assert "2. Change it." in shown(plan)
    assert buttons(plan) == []


async def test_a_plan_that_accepts_edits_is_not_asked_about_them(empty_house: House, api: Api) -> None:
    house = empty_house
    house.project_settings["permission_mode"] = "plan"
    write = Use("Write", {"file_path": str(house.project / "app.py"), "content": "print('hi')\n"})
    api.on("plan it", script(write_plan, [PROPOSE], [write], [Say("Carried out.")]))
    async with house.bot():
        thread = await house.say("Please plan it")
        await house.ada.click(await house.card(thread, "A small plan"), "Approve, accept edits")
        await house.done(thread)
    assert (house.project / "app.py").read_text() == "print('hi')\n"


async def test_a_plan_that_is_sent_back_comes_again_with_the_feedback_read(empty_house: House, api: Api) -> None:
    house = empty_house
    house.project_settings["permission_mode"] = "plan"
    api.on("plan it", script(write_plan, [PROPOSE], [Say("Once more."), PROPOSE], [Say("Off I go.")]))
    async with house.bot():
        thread = await house.say("Please plan it")
        first = await house.card(thread, "A small plan")
        form = await house.ada.click(first, "Keep planning…")
        await house.ada.submit(form.modal, {"What should be different?": "Tests first, please."})
        heard = await api.reached("plan it", 2)
        assert "Tests first, please." in heard.told
        second = await house.card(thread, "A small plan")
        assert second.id != first.id
        await house.ada.click(second, "Approve")
        await house.done(thread)
    assert "Off I go." in house.text(thread)
    assert "Tests first, please." in shown(first)
