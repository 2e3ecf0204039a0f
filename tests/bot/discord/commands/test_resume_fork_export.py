"""Tests /resume, /fork and /export, mostly with the real `claude`."""

import asyncio
from pathlib import Path

from bot.discord.commands.export import read_session
from bot.transcript.session_history import EarlierSession, Passage, SessionMessage
from sandbox.discord import DiscordChannel
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup

TOUCH = Use("Bash", {"command": "touch made.txt"})


async def commanded(setup: BotSetup, channel: DiscordChannel, name: str, /, **options: str) -> str:
    """Call a command and return its final reply."""
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
    """A history whose newest passage only appears at the third read."""

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
        assert await read_session(slow, conversation.status(), "") == slow.passages
        assert slow.looks == 3
