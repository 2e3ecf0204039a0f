"""Tests questions and plans of the real `claude`."""

import re
from typing import Any

from bot.refusals import EDITS_NEED_SECOND_PERSON
from sandbox.discord import DiscordMessage
from sandbox.discord.state.entities import walk
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Block, Say, StepContext, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.scripted_setup import add_developer

PLAN = "# A small plan\n\n1. Read the code.\n2. Change it.\n"


def question(text: str, header: str, *labels: str, several: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": f"About {label}"} for label in labels]
    return {"question": text, "header": header, "multiSelect": several, "options": options}


DATABASE = question("Which database should we use?", "Database", "SQLite", "Postgres")
EXTRAS = question("Which extras do you want?", "Extras", "Backups", "Metrics", "Search", several=True)
NAME = question("What shall it be called?", "Name", "Alpha", "Beta")


def ask(api: MessagesApi, *questions: dict[str, Any]) -> None:
    api.on("ask me", script([Use("AskUserQuestion", {"questions": list(questions)})], [Say("Thank you.")]))


async def test_a_single_choice_is_the_whole_answer(setup: BotSetup, api: MessagesApi) -> None:
    ask(api, DATABASE)
    thread = await setup.say("Please ask me")
    card = await setup.card(thread, "Which database should we use?")
    await setup.ada.select(card, "Database", ["2. Postgres"])
    heard = await api.reached("ask me", 1)
    assert '"Which database should we use?"="Postgres"' in heard.tool_results
    await setup.done(thread)
    assert "➜ **Postgres**" in shown(card)
    assert buttons(card) == []


async def test_several_choices_are_sent_together(setup: BotSetup, api: MessagesApi) -> None:
    ask(api, EXTRAS)
    thread = await setup.say("Please ask me")
    card = await setup.card(thread, "Which extras do you want?")
    await setup.ada.select(card, "Extras", ["1. Backups", "3. Search"])
    await setup.ada.click(card, "Send")
    heard = await api.reached("ask me", 1)
    assert '"Which extras do you want?"="Backups, Search"' in heard.tool_results
    await setup.done(thread)


async def test_own_words_answer_a_question(setup: BotSetup, api: MessagesApi) -> None:
    ask(api, NAME)
    thread = await setup.say("Please ask me")
    card = await setup.card(thread, "What shall it be called?")
    form = await setup.ada.click(card, "Other…")
    await setup.ada.submit(form.modal, {"Your answer": "Gamma, if it is free"})
    heard = await api.reached("ask me", 1)
    assert '"What shall it be called?"="Gamma, if it is free"' in heard.tool_results
    await setup.done(thread)


async def test_three_questions_are_answered_each_in_its_way(setup: BotSetup, api: MessagesApi) -> None:
    ask(api, DATABASE, EXTRAS, NAME)
    thread = await setup.say("Please ask me")
    card = await setup.card(thread, "Claude has 3 questions")
    assert "Send" not in buttons(card), "nothing can be sent before all is answered"
    await setup.ada.select(card, "Extras", ["2. Metrics", "1. Backups"])
    await setup.ada.select(card, "Database", ["1. SQLite"])
    form = await setup.ada.click(card, other(card, 2))
    await setup.ada.submit(form.modal, {"Your answer": "Gamma"})
    await setup.ada.click(card, "Send")
    told = (await api.reached("ask me", 1)).tool_results
    assert '"Which database should we use?"="SQLite"' in told
    assert re.search(r'"Which extras do you want\?"="(Backups, Metrics|Metrics, Backups)"', told)
    assert '"What shall it be called?"="Gamma"' in told
    await setup.done(thread)


async def test_a_written_message_answers_the_open_question(setup: BotSetup, api: MessagesApi) -> None:
    ask(api, NAME)
    thread = await setup.say("Please ask me")
    await setup.card(thread, "What shall it be called?")
    await setup.ada.write(thread, "Delta")
    heard = await api.reached("ask me", 1)
    assert '"What shall it be called?"="Delta"' in heard.tool_results
    await setup.done(thread)


def other(card: DiscordMessage, number: int) -> str:
    """Return the custom_id of one question's *Other…* button: they all have the same label."""
    ids = [each.get("custom_id", "") for each in walk(card.components)]
    return next(id_ for id_ in ids if id_.endswith(f":other:{number}"))


def write_plan(seen: StepContext) -> list[Block]:
    """Write the plan to the file that the CLI names in its instructions to Claude."""
    found = re.search(r"\S+/\.claude/plans/\S+?\.md", seen.notes)
    assert found is not None
    return [Use("Write", {"file_path": found[0], "content": PLAN})]


PROPOSE = Use("ExitPlanMode", {"plan": PLAN})
TOUCH = Use("Bash", {"command": "touch made.txt"})


async def test_an_approved_plan_is_carried_out(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    setup.project_settings["permission_mode"] = "plan"
    api.on("plan it", script(write_plan, [PROPOSE], [TOUCH], [Say("Carried out.")]))
    async with setup.bot():
        thread = await setup.say("Please plan it")
        plan = await setup.card(thread, "A small plan")
        assert buttons(plan)[:3] == ["Approve", "Approve and allow edits", "Keep planning…"]
        await setup.ada.click(plan, "Approve")
        await setup.ada.click(await setup.card(thread, "touch made.txt"), "Allow")
        await setup.done(thread)
    assert "Carried out." in setup.text(thread)
    assert (setup.project / "made.txt").exists()
    assert "2. Change it." in shown(plan)
    assert buttons(plan) == []


async def test_a_plan_approved_with_edits_lets_edits_pass_and_nothing_else(
    real_setup: BotSetup, api: MessagesApi
) -> None:
    setup = real_setup
    setup.project_settings["permission_mode"] = "plan"
    source = setup.project / "src"
    source.mkdir()
    (source / "a.py").write_text("print('hi')\n")
    (setup.project / "x").write_text("on: push\n")
    edit = Use("Edit", {"file_path": str(source / "a.py"), "old_string": "hi", "new_string": "hello"})
    commands = [
        Use("Bash", {"command": c})
        for c in ("rm -rf src", "mkdir -p .github/workflows && mv x .github/workflows/ci.yml")
    ]
    names = (".github/workflows/ci.yml", "CLAUDE.md", "../x.py", ".env")
    writes = [Use("Write", {"file_path": f"{setup.project}/{name}", "content": "x"}) for name in names]
    others = [[use] for use in (*commands, *writes)]
    api.on(
        "plan it",
        script(
            write_plan,
            [PROPOSE],
            [Use("Read", {"file_path": str(source / "a.py")})],
            [edit],
            *others,
            [Say("Carried out.")],
        ),
    )
    async with setup.bot() as running:
        thread = await setup.say("Please plan it")
        plan = await setup.card(thread, "A small plan")
        assert "except to files that other programs run or read as instructions" in shown(plan)
        await setup.ada.click(plan, "Approve and allow edits")
        for heading in ("rm -rf src", "mv x", "ci.yml", "CLAUDE.md", "x.py", ".env"):
            card = await setup.card(thread, heading)
            await setup.ada.click(card, "Deny")
            await setup.becomes(card, "Denied")
        await setup.done(thread)
        assert setup.text(thread).count("by rule `Edit`") == 1
        (kept,) = running.store.rules("demo")
        assert (str(kept.rule), kept.conversation, kept.made_by) == ("Edit", thread.id, setup.ada.user.id)
        settled = [one.entry.outcome for one in reversed(running.store.audit("demo", 20))]
        assert settled == ["allowed", "rule made", "allowed", *["denied"] * 6]
        message = await (await setup.ada.command(thread, "rules")).finished()
        await setup.ada.select(message, 0, ["Edit"])
        assert running.store.rules("demo") == []
    assert (source / "a.py").read_text() == "print('hello')\n"
    assert sorted(path.name for path in setup.project.iterdir()) == ["src", "x"]
    assert not (setup.root / "x.py").exists()


async def test_who_asked_for_a_plan_lets_no_edits_pass_alone_where_a_second_person_is_wanted(
    real_setup: BotSetup, api: MessagesApi
) -> None:
    setup = real_setup
    setup.project_settings["permission_mode"] = "plan"
    setup.settings["decisions"] = {"second_person": True}
    api.on("plan it", script(write_plan, [PROPOSE], [Say("Carried out.")]))
    async with setup.bot() as running:
        for number, prompt in enumerate(("Please plan it", "Please plan it well"), 1):
            thread = await setup.say(prompt)
            plan = await setup.card(thread, "A small plan")
            assert f"Someone other than <@{setup.ada.user.id}> must press it." in shown(plan)
            assert EDITS_NEED_SECOND_PERSON in (await setup.ada.click(plan, "Approve and allow edits")).text
            await setup.ada.write(thread, "always")
            await setup.ada.sees(thread, EDITS_NEED_SECOND_PERSON)
            if number == 1:
                await setup.ada.click(plan, "Approve")
                await setup.done(thread)
                assert running.store.rules("demo") == []
            else:
                await add_developer(setup, "bob").click(plan, "Approve and allow edits")
                await setup.done(thread)
                assert [str(kept.rule) for kept in running.store.rules("demo")] == ["Edit"]


async def test_a_plan_that_is_sent_back_comes_again_with_the_feedback_read(
    real_setup: BotSetup, api: MessagesApi
) -> None:
    setup = real_setup
    setup.project_settings["permission_mode"] = "plan"
    api.on("plan it", script(write_plan, [PROPOSE], [Say("Once more."), PROPOSE], [Say("Off I go.")]))
    async with setup.bot():
        thread = await setup.say("Please plan it")
        first = await setup.card(thread, "A small plan")
        form = await setup.ada.click(first, "Keep planning…")
        await setup.ada.submit(form.modal, {"What should be different?": "Tests first, please."})
        heard = await api.reached("plan it", 2)
        assert "Tests first, please." in heard.tool_results
        second = await setup.card(thread, "A small plan")
        assert second.id != first.id
        await setup.ada.click(second, "Approve")
        await setup.done(thread)
    assert "Off I go." in setup.text(thread)
    assert "Tests first, please." in shown(first)
