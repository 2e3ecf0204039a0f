"""Tests /model, /mode, /effort and other commands that control a conversation, with the real `claude`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.refusals import MAY_NOT_DECIDE
from sandbox.discord import DiscordChannel
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, WaitFor, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def commanded(setup: BotSetup, channel: DiscordChannel, name: str, /, **options: str) -> str:
    """Call a command and return its final reply."""
    return (await (await setup.ada.command(channel, name, **options)).finished(within=30)).text


async def test_the_model_changes_at_once_and_stays_over_a_restart(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        assert "sonnet" in (await setup.ada.autocomplete(thread, "model", "name", "son")).choices.values()
        assert "**sonnet**" in await commanded(setup, thread, "model", name="sonnet")
        await setup.ada.write(thread, "Who are you?")
        await setup.done(thread, 2)
    async with setup.bot():
        await setup.ada.write(thread, "And now?")
        await setup.done(thread, 3)
        assert "the project's" in await commanded(setup, thread, "model", name="default")
        await setup.ada.write(thread, "And in the end?")
        await setup.done(thread, 4)
    used = [str(each.body["model"]) for each in api.calls if not each.side]
    assert ["sonnet" in model for model in used] == [False, True, True, False]


async def test_the_mode_decides_what_is_asked_about(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    write = Use("Write", {"file_path": str(setup.project / "app.py"), "content": "print('hi')\n"})
    others = (
        Use("Bash", {"command": "rm -rf src"}),
        Use("Write", {"file_path": str(setup.project / "Makefile"), "content": "all:\n"}),
    )
    api.on("write it", script([write], *([use] for use in others), [Say("Written.")]))
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        assert "acceptEdits" in await commanded(setup, thread, "mode", mode="acceptEdits")
        message = await (await setup.ada.command(thread, "rules")).finished()
        assert "while the mode is `acceptEdits`" in shown(message)
        await setup.ada.write(thread, "Please write it")
        for heading in ("rm -rf src", "Makefile"):
            await setup.ada.click(await setup.card(thread, heading), "Deny")
        await setup.ada.sees(thread, "Written.", within=30)
        assert setup.text(thread).count("by rule `Edit`") == 1
        await commanded(setup, thread, "mode", mode="default")
        api.on("write again", script([write], [Say("Again.")]))
        await setup.ada.write(thread, "Please write again")
        await setup.ada.click(await setup.card(thread, "app.py"), "Deny")
        for mode in ("bypassPermissions", "auto"):
            assert "allow_bypass = true" in await commanded(setup, thread, "mode", mode=mode)
    assert (setup.project / "app.py").exists()


async def test_a_mode_that_asks_nobody_can_be_chosen_where_the_configuration_says_so(
    real_setup: BotSetup, api: MessagesApi
) -> None:
    setup = real_setup
    setup.environment = {**setup.environment, "IS_SANDBOX": "1"}  # otherwise the CLI refuses this mode to root
    setup.project_settings["allow_bypass"] = True
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        assert "never asks before it acts" in await commanded(setup, thread, "mode", mode="bypassPermissions")
        await setup.ada.write(thread, "Please make a file")
        await setup.ada.sees(thread, "It is there.", within=30)
    assert (setup.project / "made.txt").exists()
    setup.project_settings["allow_bypass"] = False
    (setup.project / "made.txt").unlink()
    async with setup.bot():
        await setup.ada.write(thread, "Please make a file")
        await setup.card(thread, "touch made.txt")


async def test_compacting_leaves_room_and_is_said(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        await setup.ada.write(thread, "Once more")  # older CLIs don't compact a single message
        await setup.done(thread, 2)
        assert "Context" in await commanded(setup, thread, "context")
        await commanded(setup, thread, "compact", keep="the number 42")
        await setup.ada.sees(thread, "Compacted the conversation", within=30)
        await setup.ada.write(thread, "Still there?")
        await setup.ada.sees(thread, "You said: Still there?", within=30)
        assert "in 4 turns" in await commanded(setup, thread, "cost")
    assert any("the number 42" in json.dumps(each.body) for each in api.calls)


async def test_claudes_own_commands_are_offered_and_run(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    commands = setup.project / ".claude" / "commands"
    commands.mkdir(parents=True)
    (commands / "greet.md").write_text("---\ndescription: Greets somebody\n---\nPlease greet $ARGUMENTS warmly.\n")
    api.on("warmly", script([Say("A warm welcome!")]))
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        offered = await setup.ada.autocomplete(thread, "claude", "command", "gre")
        assert any(name.startswith("greet · Greets somebody") for name in offered.choices)
        await commanded(setup, thread, "claude", command="greet", arguments="Ada")
        asked, answered = (
            await setup.ada.sees(thread, "> /greet Ada"),
            await setup.ada.sees(thread, "A warm", within=30),
        )
        assert asked.id < answered.id
        await setup.ada.write(thread, "And then?")
        await setup.ada.sees(thread, "You said: And then?", within=30)


async def test_effort_is_taken_by_the_next_process_and_nothing_is_cut_short(
    real_setup: BotSetup, api: MessagesApi, go: Path, let_go: Callable[[], None]
) -> None:
    setup = real_setup
    api.on("go slowly", script([Say("A first part"), WaitFor(str(go)), Say("A second part.")]))
    async with setup.bot():
        thread = await setup.say("Please go slowly")
        await setup.ada.sees(thread, "A first part", within=30)
        assert "**high**" in await commanded(setup, thread, "effort", level="high")
        let_go()
        await setup.ada.sees(thread, "A second part.", within=30)
        await setup.ada.write(thread, "Once more")
        await setup.ada.sees(thread, "You said: Once more", within=30)
    assert len(list((setup.state / "runs").iterdir())) == 2


async def test_the_mode_is_not_for_those_who_only_talk(setup: BotSetup) -> None:
    setup.project_settings["decide"] = {"users": [setup.discord_server.eve.user.id]}
    async with setup.bot() as running:
        thread = await setup.say("Hello")
        await setup.done(thread)
        answer = await setup.ada.command(thread, "mode", mode="acceptEdits")
        assert answer.ephemeral
        assert MAY_NOT_DECIDE in answer.text
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        record = running.store.conversation(thread.id)
        assert record is not None
        assert record.own.permission_mode is None


async def test_thinking_is_shown_as_spoilers_where_it_is_wanted(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("think hard")
        await setup.done(thread)
        assert "Hmm" not in setup.text(thread)
        await setup.ada.command(thread, "settings", setting="thinking", value="yes")
        await setup.ada.write(thread, "think hard")
        await setup.ada.sees(thread, "||Hmm, that is hard.||", within=20)


@pytest.mark.parametrize("name", ["compact", "context", "cost", "fork", "export", "status"])
async def test_a_command_where_nothing_was_said_answers_so(setup: BotSetup, name: str) -> None:
    async with setup.bot():
        answer = await (await setup.ada.command(setup.channel, name)).finished()
        assert "There is no conversation here yet" in answer.text
        assert buttons(answer) == []
