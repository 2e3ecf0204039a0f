"""Tests that only the running bot answers commands at the terminal."""

import json
import socket
from pathlib import Path

import pytest

from sandbox.scripts.script import Complain, Exit, Hang, Say, Use, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.command_line import BOUND, running, started, typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {
    "die": script([Say("Good-bye."), Complain("no space left"), Exit(3)]),
    "greet": script([Say("Hello from \x1b[31mClaude\x1b[0m.")]),
    "hang": script([Say("I am thinking."), Hang()]),
    "ask": script([Say("I would like to."), Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS)


async def test_with_no_bot_running_each_verb_says_so(tmp_path: Path) -> None:
    for words in (["sessions"], ["stop", "x"], ["say", "demo", "hello"], ["restart"]):
        answer = await typed(*words, cwd=tmp_path, HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
        assert answer.status == 3, answer
        assert answer.out == ""
        assert answer.errors.startswith("No bot is running with the state folder ")
        assert len(answer.errors.splitlines()) == 1


async def test_a_prompt_from_the_terminal_is_answered_there_and_in_discord(setup: BotSetup) -> None:
    async with running(setup):
        answer = await typed("say", "demo", "greet me", "--wait", cwd=setup.root)
        assert (answer.status, answer.errors) == (0, "")
        assert answer.out == "Hello from \ufffd[31mClaude\ufffd[0m.\n"
        sessions = json.loads((await typed("sessions", "--json", cwd=setup.root)).out)["sessions"]
        (session,) = sessions
        assert (session["project"], session["title"], session["doing"]) == ("demo", "greet me", "idle")
        thread = setup.discord.world.channels[session["thread"]]
        assert "Sent from the terminal:\ngreet me" in setup.text(thread)
        assert "Hello from" in setup.text(thread)


async def test_what_waits_for_a_person_is_told_and_goes_on_after_the_click(setup: BotSetup) -> None:
    async with running(setup):
        waiting = await started("say", "demo", "-", "--wait", "--json", cwd=setup.root)
        assert waiting.stdin is not None
        assert waiting.stdout is not None
        waiting.stdin.write(b"ask me")
        waiting.stdin.close()
        thread = setup.discord.world.channels[json.loads(await waiting.stdout.readline())["thread"]]
        card = await setup.card(thread, "touch made.txt")
        pieces = [json.loads(await waiting.stdout.readline())]
        while not pieces[-1]["waits_for"]:
            pieces.append(json.loads(await waiting.stdout.readline()))
        assert pieces[-1]["waits_for"] == ["Bash"]
        listed = await typed("sessions", cwd=setup.root)
        assert "waiting for you (Bash)" in listed.out
        await setup.ada.click(card, "Allow")
        out, _ = await waiting.communicate()
        pieces += [json.loads(line) for line in out.splitlines()]
    assert waiting.returncode == 0
    assert "".join(piece["text"] for piece in pieces) == "I would like to.\n\nIt is there."
    assert pieces[-1]["outcome"] == "ok"


async def test_a_session_is_stopped_by_a_part_of_its_title_and_the_waiter_is_told(setup: BotSetup) -> None:
    async with running(setup):
        waiting = await started("say", "demo", "hang around", "--wait", cwd=setup.root)
        assert waiting.stdout is not None
        assert await waiting.stdout.readexactly(len("I am thinking.")) == b"I am thinking."
        answer = await typed("stop", "around", cwd=setup.root)
        assert (answer.status, answer.errors) == (0, "")
        assert answer.out.startswith("hang around: Stopped.")
        _, errors = await waiting.communicate()
        assert (waiting.returncode, errors) == (1, b"It was stopped.\n")
        unknown = await typed("stop", "nothing like it", cwd=setup.root)
        assert (unknown.status, unknown.out) == (1, "")
        assert unknown.errors.startswith("No session matches nothing like it.")


async def test_an_ambiguous_name_stops_nothing_and_a_project_stops_all_of_it(setup: BotSetup) -> None:
    async with running(setup):
        for _ in range(2):
            await typed("say", "demo", "hang around", cwd=setup.root)
        threads = json.loads((await typed("sessions", "--json", cwd=setup.root)).out)["sessions"]
        for each in threads:
            await setup.ada.sees(setup.discord.world.channels[each["thread"]], "I am thinking.", within=BOUND)
        answer = await typed("stop", "hang", cwd=setup.root)
        assert answer.status == 1
        assert all(str(each["thread"]) in answer.errors for each in threads)
        answer = await typed("stop", "demo", "--json", cwd=setup.root)
        assert answer.status == 0
        assert len(json.loads(answer.out)["stopped"]) == 2


async def test_a_claude_that_dies_is_told_to_the_waiter_with_its_last_words(setup: BotSetup) -> None:
    async with running(setup):
        answer = await typed("say", "demo", "die, please", "--wait", cwd=setup.root)
    assert answer.status == 1
    assert answer.out.startswith("Good-bye.")
    assert "no space left" in answer.errors


async def test_a_claude_that_can_not_be_started_is_told_to_the_waiter(setup: BotSetup) -> None:
    setup.command = (str(setup.root / "nowhere" / "claude"),)
    async with running(setup):
        answer = await typed("say", "demo", "greet me", "--wait", cwd=setup.root)
    assert (answer.status, answer.out.strip()) == (1, "")
    assert "There is no program" in answer.errors


async def test_a_project_that_is_not_there_is_named_with_those_that_are(setup: BotSetup) -> None:
    async with running(setup):
        answer = await typed("say", "demmo", "hello", cwd=setup.root)
        assert (answer.status, answer.errors) == (1, "There is no project demmo. Choose one of: demo.\n")


async def test_systemd_is_told_when_the_bot_is_ready_and_when_it_leaves(setup: BotSetup) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(setup.root / "notify"))
        supervisor.settimeout(BOUND)
        setup.environment = {**setup.environment, "NOTIFY_SOCKET": str(setup.root / "notify")}
        async with running(setup):
            assert supervisor.recv(100) == b"READY=1"
        assert supervisor.recv(100) == b"STOPPING=1"


async def test_the_log_can_be_read_by_a_program(setup: BotSetup) -> None:
    async with running(setup, "run", "--json") as bot:
        pass
    entries = [json.loads(line) for line in bot.said.splitlines()]
    assert any(entry["text"].startswith("Ready.") and entry["level"] == "info" for entry in entries)
