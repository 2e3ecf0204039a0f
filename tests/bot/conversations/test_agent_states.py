"""Tests that an agent's states follow the architecture's diagram, whatever fails or is said in between."""

import re
import sys
from pathlib import Path

import pytest

from bot.config import Project
from bot.conversations.agent_run import AgentRun
from bot.conversations.agent_state import TRANSITIONS, Asleep, Lifecycle, Starting
from bot.conversations.change_signal import ChangeSignal
from bot.conversations.session import Session
from bot.ports import ClaudeProcess
from bot.projects.worktrees import Worktrees
from bot.records import ConversationRecord, RunRecord, TurnRecord
from bot.store import FILE_NAME, Store
from bot.transcript import Turn
from sandbox.discord import DiscordChannel
from sandbox.scripts.script import Say, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import gone, processes, scripted

ARCHITECTURE = Path(__file__).parents[3] / "docs" / "architecture.md"
SILENT = (sys.executable, "-c", "import sys; sys.stdin.readline(); sys.stdin.read()")
"""A `claude` that reads a prompt, writes nothing and ends when it is told to."""


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, {"hello": script([Say("Hello, I am here.")])})


async def typing(setup: BotSetup, text: str) -> DiscordChannel:
    thread = await setup.say(text)
    await setup.ada.sees_typing(thread)
    return thread


def test_the_diagram_has_the_transitions_of_the_code() -> None:
    section = ARCHITECTURE.read_text(encoding="utf-8").partition("## An agent's states")[2].partition("\n## ")[0]
    drawn = set(re.findall(r"^ +(\w+) --> (\w+):", section, re.MULTILINE))
    assert drawn == {(before.__name__, after.__name__) for before, known in TRANSITIONS.items() for after in known}


def test_a_state_is_never_skipped() -> None:
    lifecycle = Lifecycle(ChangeSignal())
    lifecycle.begin_turn()
    lifecycle.end_idle()
    assert lifecycle.end() is None
    assert lifecycle.state == Asleep()
    lifecycle.start()
    with pytest.raises(RuntimeError, match="can't go from Ending"):
        begun_while_ending(lifecycle)


def begun_while_ending(lifecycle: Lifecycle) -> None:
    process: ClaudeProcess = object()  # type: ignore[assignment]  # it is never used
    lifecycle.started(process)
    lifecycle.end()
    lifecycle.start()


def test_an_end_before_the_process_is_there_is_remembered() -> None:
    lifecycle = Lifecycle(ChangeSignal())
    lifecycle.start()
    assert not lifecycle.cancelled
    lifecycle.end()
    assert lifecycle.cancelled
    assert lifecycle.state == Starting(cancelled=True)


async def test_a_disk_that_refuses_is_said_in_the_thread_and_the_next_message_runs(setup: BotSetup) -> None:
    async with setup.bot() as running:
        place = setup.state / "runs"
        place.touch()  # where each run's folder would be created
        thread = await setup.say("hello")
        told = await setup.ada.sees(thread, "Claude can't be started: ")
        assert str(place) in told.text
        conversation = await running.conversations.find(thread.id)
        assert conversation is not None
        assert conversation.status().doing == "asleep"
        assert conversation.status().queued == 0
        place.unlink()
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, "Hello, I am here.")


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        (OSError(28, "No space left on device"), "Claude can't be started: No space left on device."),
        (KeyError("nobody thought of this"), "because of an error in the bot"),
    ],
)
async def test_a_failed_preparation_is_said_in_the_thread_and_the_next_message_runs(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mistake: Exception, said: str
) -> None:
    prepare, mistakes = Worktrees.prepare, [mistake]

    async def fails_once(worktrees: Worktrees, conversation: int) -> None:
        if mistakes:
            raise mistakes.pop()
        await prepare(worktrees, conversation)

    monkeypatch.setattr(Worktrees, "prepare", fails_once)
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.ada.sees(thread, said)
        await setup.ada.write(thread, "hello")
        await setup.ada.sees(thread, "Hello, I am here.")
    assert ("nobody thought of this" in caplog.text) == isinstance(mistake, KeyError)


async def test_a_turn_that_is_ended_without_a_result_does_not_look_as_if_it_went_on(setup: BotSetup) -> None:
    setup.command = SILENT
    async with setup.bot():
        thread = await typing(setup, "hello")
        await (await setup.ada.command(thread, "kill")).finished()
        await setup.ada.sees(thread, "Stopped")
        assert "Working" not in setup.text(thread)
        assert await gone(processes(setup)) == []


async def test_an_event_that_can_not_be_taken_in_does_not_end_the_turn(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    apply = Turn.apply

    def mistaken(turn: Turn, event: object, at: float = 0.0) -> None:
        if type(event).__name__ == "Init":
            raise KeyError("nobody thought of this")
        apply(turn, event, at)  # type: ignore[arg-type]

    monkeypatch.setattr(Turn, "apply", mistaken)
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "Hello, I am here.")
        await setup.done(thread)
    assert "nobody thought of this" in caplog.text


async def test_a_turn_whose_prompt_was_queued_again_is_not_shown_by_the_next_bot(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.done(thread)
    with Store.open(setup.state / FILE_NAME) as store:
        store.add_run(RunRecord("a", thread.id, "hash", 1.0, ended_at=2.0))
        store.add_turn(TurnRecord("taken back", thread.id, "a", 0, 1.0, end=0))
        store.add_turn(TurnRecord("never started", thread.id, "", 0, 2.0, end=0))
    async with setup.bot():
        await setup.ada.sees(thread, "could not be started for this message")
        assert "Working" not in setup.text(thread)


def test_a_process_that_ends_does_not_undo_new(tmp_path: Path) -> None:
    with Store.open(tmp_path / FILE_NAME) as store:
        record = ConversationRecord(3, "demo", "a thread", 0.0, session="old")
        store.add_conversation(record)
        session = Session(record, store)
        process: ClaudeProcess = object()  # type: ignore[assignment]  # it is never used
        run = AgentRun(process, Project(folder=tmp_path, channels=frozenset({3})), "old", session.number)
        session.lose()
        session.switch(None)
        assert not session.lost, "a new session that a person asked for gets no recap"
        run.keep_session(session)
        run.lose_session(session)
        assert session.record.session is None
        assert not session.lost
        later = AgentRun(process, Project(folder=tmp_path, channels=frozenset({3})), "new", session.number)
        later.keep_session(session)
        kept = store.conversation(3)
        assert kept is not None
        assert kept.session == "new"
