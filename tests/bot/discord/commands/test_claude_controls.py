"""The commands that steer a conversation and find it again, with the real `claude`."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.discord.commands.sessions import written
from bot.refusals import MAY_NOT_DECIDE
from bot.render.replies.help import COMMANDS
from bot.transcript.session_history import EarlierSession, Passage, SessionMessage
from sandbox.discord import DiscordChannel, Upload
from sandbox.discord.state import messages
from sandbox.discord.state.messages import MessageDraft
from sandbox.messages_api import MessagesApi
from sandbox.script import Say, Use, WaitFor, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def commanded(setup: BotSetup, channel: DiscordChannel, name: str, /, **options: str) -> str:
    """Call a command, and give what it answers in the end."""
    return (await (await setup.ada.command(channel, name, **options)).finished(within=30)).text


async def test_a_session_from_a_terminal_is_found_by_its_first_words_and_goes_on(
    real_setup: BotSetup, api: MessagesApi
) -> None:
    setup = real_setup
    terminal = await asyncio.create_subprocess_exec(
        *setup.command,
        "-p",
        "Remember the number 42, at the terminal",
        cwd=setup.project,
        env=dict(setup.environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(30):
        assert await terminal.wait() == 0
    async with setup.bot():
        offered = await setup.ada.autocomplete(setup.channel, "resume", "session", "number 42")
        [(name, session)] = offered.choices.items()
        assert name == "now · Remember the number 42, at the terminal"
        strange = await setup.discord_server.eve.autocomplete(setup.channel, "resume", "session", "")
        assert strange.choices == {}, "what was said is not told to strangers"
        answer = await commanded(setup, setup.channel, "resume", session=str(session))
        thread = await setup.ada.sees_thread(setup.channel)
        assert answer == f"<#{thread.id}>"
        told = await setup.ada.sees(thread, "Resuming the session")
        assert "You said: Remember the number 42" in told.text
        await setup.ada.write(thread, "Which number?")
        await setup.ada.sees(thread, "You said: Which number?", within=30)
        heard = [each for each in api.calls if each.seen.prompt == "Which number?"][-1]
        assert heard.seen.earlier == ("Remember the number 42, at the terminal",)
        again = await commanded(setup, setup.channel, "resume", session=str(session))
        assert f"belongs to <#{thread.id}>" in again


async def test_a_fork_knows_what_was_said_and_leaves_the_first_alone(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    async with setup.bot() as running:
        thread = await setup.say("Remember the number 42")
        await setup.done(thread)
        answer = await commanded(setup, thread, "fork", prompt="In the copy: which?")
        copy = next(each for each in setup.ada.threads(setup.channel) if each is not thread)
        assert f"<#{copy.id}>" in answer
        await setup.ada.sees(copy, "You said: In the copy: which?", within=30)
        assert f"<@{setup.ada.user.id}>:\n> In the copy: which?" in setup.text(copy), "the thread has the whole story"
        await setup.done(copy)
        heard = [each for each in api.calls if each.seen.prompt == "In the copy: which?"][-1]
        assert heard.seen.earlier == ("Remember the number 42",)
        first, second = await running.conversations.find(thread.id), await running.conversations.find(copy.id)
        assert first is not None
        assert second is not None
        assert second.status().session not in {None, first.status().session}
        await setup.ada.write(thread, "And here?")
        await setup.ada.sees(thread, "You said: And here?", within=30)
        heard = [each for each in api.calls if each.seen.prompt == "And here?"][-1]
        assert heard.seen.earlier == ("Remember the number 42",)


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
    setup.environment = {**setup.environment, "IS_SANDBOX": "1"}  # the CLI refuses this mode to root otherwise
    setup.project_settings["allow_bypass"] = True
    api.on("make a file", script([TOUCH], [Say("It is there.")]))
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        assert "asks nobody about anything" in await commanded(setup, thread, "mode", mode="bypassPermissions")
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
        await setup.ada.write(thread, "Once more")  # older CLIs compact no single message
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


async def test_the_conversation_is_exported_as_markdown(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    api.on("make a file", script([Say("I will."), TOUCH], [Say("It is **there**.")]))
    async with setup.bot():
        thread = await setup.say("Please make a file")
        await setup.ada.click(await setup.card(thread, "touch made.txt"), "Allow")
        await setup.done(thread)
        answer = await (await setup.ada.command(thread, "export")).finished()
    [file] = answer.attachments
    text = file.content.decode()
    assert text.startswith("# Please make a file\n\n## You · ")
    assert "- *Bash* `touch made.txt`" in text
    assert text.rstrip().endswith("It is **there**.")


async def test_what_the_scripted_agent_said_is_exported_too(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("Hello")
        await setup.done(thread)
        answer = await (await setup.ada.command(thread, "export")).finished()
    [file] = answer.attachments
    assert file.content.decode().rstrip().endswith("You said: Hello")


class Slow:
    """A history whose newest passage stands there only when it is looked for again."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = list(passages)
        self.looks = 0

    def of(self, _folder: Path) -> list[EarlierSession]:
        return []

    def read(self, _folder: Path, _session: str) -> list[Passage]:
        self.looks += 1
        return self.passages[:-1] if self.looks < 3 else self.passages


async def test_an_export_waits_for_an_answer_that_is_still_to_be_written_down(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("Hello")
        await setup.done(thread)
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        slow = Slow(SessionMessage("person", "Hello"), SessionMessage("claude", "You said: Hello"))
        assert await written(slow, conversation.status(), "") == slow.passages
        assert slow.looks == 3


async def test_a_message_can_be_asked_about(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    async with setup.bot():
        message = await setup.discord_server.eve.write(setup.channel, "The build is broken again")
        form = await setup.ada.context_menu(message, "Ask Claude about this")
        await setup.ada.submit(form.modal, {"What should Claude do?": "Find out why"})
        thread = await setup.ada.sees_thread(setup.channel, "Find out why")
        await setup.done(thread)
    heard = next(each for each in api.calls if "Find out why" in each.seen.prompt)
    assert "a message by eve:\n> The build is broken again" in heard.seen.prompt


async def test_a_message_of_another_bot_can_be_asked_about_and_what_is_left_out_is_said(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.discord.incoming.attachments.LARGEST_FILE", 10)
    embed = {"title": "Build 7 failed", "fields": [{"name": "Step", "value": "lint"}]}
    draft = MessageDraft(embeds=(embed,), uploads=(Upload("build.log", b"x" * 11),))
    async with setup.bot():
        message = messages.write(setup.discord.world, setup.channel, setup.discord_server.eve.user, draft)
        form = await setup.ada.context_menu(message, "Ask Claude about this")
        await setup.ada.submit(form.modal, {"What should Claude do?": "Find out why"})
        thread = await setup.ada.sees_thread(setup.channel, "Find out why")
        await setup.ada.sees(thread, "`build.log` was left out")
        await setup.done(thread)
        assert "> Build 7 failed\n> Step\n> lint" in setup.text(thread)
        assert f"<@{setup.ada.user.id}>:\n> Find out why" in setup.text(thread)


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


async def test_help_names_every_command(setup: BotSetup) -> None:
    async with setup.bot():
        text = (await setup.ada.command(setup.channel, "help")).text
        world = setup.discord.world
        commands = [each for place in world.application.commands.values() for each in place.values()]
    assert len(text) <= 2000
    assert {command["name"] for command in commands if command["type"] == 1} == set(COMMANDS)
    documented = Path(__file__).parents[4].joinpath("docs", "commands.md").read_text(encoding="utf-8")
    for command in commands:
        if command["type"] == 1:
            assert f"`/{command['name']}" in documented, f"docs/commands.md does not tell of /{command['name']}"


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
