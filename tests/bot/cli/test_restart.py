"""Tests `claude-discord restart`: the bot restarts, and Claude's turns continue as if nothing had happened."""

import asyncio
import json
from pathlib import Path

import pytest

from sandbox.messages_api import server as scripted_api
from sandbox.scripts.script import Say, Use, WaitFor, script
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.command_line import BOUND, running, started, typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import gone, processes, scripted

ASK = [Say("I would like to."), Use("Bash", {"command": "touch made.txt"})]


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    slow = script([Say("Before the restart. "), WaitFor(str(tmp_path / "go on")), Say("And after it.")])
    return scripted(discord_server, tmp_path, {"slow": slow, "ask": script(ASK, [Say("It is there.")])})


async def test_a_turn_goes_on_through_a_restart_and_so_does_its_process(setup: BotSetup) -> None:
    async with running(setup) as bot:
        thread = await setup.say("slow, please")
        await setup.ada.sees(thread, "Before the restart.", within=BOUND)
        (claude,) = processes(setup, "sandbox.scripted_claude")
        answer = await typed("restart", "--json", cwd=setup.root)
        assert (answer.status, answer.errors) == (0, "")
        assert json.loads(answer.out)["kept"] == 1
        await bot.says("Ready.", 2)
        assert bot.process.returncode is None, "a supervisor sees the same process"
        (setup.root / "go on").touch()
        await setup.ada.sees(thread, "And after it.", within=BOUND)
        await setup.done(thread)
        assert setup.text(thread).count("Before the restart.") == 1
        await setup.ada.write(thread, "Are you the same?")
        await setup.ada.sees(thread, "You said: Are you the same?", within=BOUND)
        assert processes(setup, "sandbox.scripted_claude") == [claude], "it was spoken to, not started anew"
        left = [process for process in processes(setup) if process.pid != bot.process.pid]
    assert bot.process.returncode == 0
    assert await gone(left) == []
    assert "Traceback" not in bot.said


async def test_an_open_card_can_be_pressed_after_two_restarts(setup: BotSetup) -> None:
    async with running(setup):
        thread = await setup.say("ask me")
        card = await setup.card(thread, "touch made.txt")
        for _ in range(2):
            assert (await typed("restart", cwd=setup.root)).status == 0
        assert "Allow" in buttons(card)
        assert not (await setup.ada.click(card, "Allow")).failed
        await setup.ada.sees(thread, "It is there.", within=BOUND)
        await setup.done(thread)
        assert (setup.project / "made.txt").exists()


async def test_who_waits_at_the_terminal_gets_the_whole_answer_once(setup: BotSetup) -> None:
    async with running(setup):
        waiting = await started("say", "demo", "slow, please", "--wait", cwd=setup.root)
        assert waiting.stdout is not None
        before = await waiting.stdout.readexactly(len("Before the restart. "))
        assert (await typed("restart", cwd=setup.root)).status == 0
        (setup.root / "go on").touch()
        async with asyncio.timeout(BOUND):
            out, errors = await waiting.communicate()
    assert (waiting.returncode, errors) == (0, b"")
    assert (before + out).decode().split() == ["Before", "the", "restart.", "And", "after", "it."]


async def test_who_waits_at_the_terminal_is_told_once_that_a_person_is_needed(setup: BotSetup) -> None:
    async with running(setup):
        waiting = await started("say", "demo", "ask me", "--wait", cwd=setup.root)
        assert waiting.stderr is not None
        async with asyncio.timeout(BOUND):
            told = [await waiting.stderr.readline() for _ in range(2)]
        assert (await typed("restart", cwd=setup.root)).status == 0
        (thread,) = json.loads((await typed("--json", "sessions", cwd=setup.root)).out)["sessions"]
        card = await setup.card(setup.discord.world.channels[thread["thread"]], "touch made.txt")
        await setup.ada.click(card, "Allow")
        async with asyncio.timeout(BOUND):
            out, errors = await waiting.communicate()
    assert told == [b"\n", b"[waiting for a decision in Discord: Bash]\n"], "on a line of its own"
    assert (waiting.returncode, out.split()[-3:], errors) == (0, [b"It", b"is", b"there."], b"")


async def test_what_streams_during_a_restart_stands_there_once(discord_server: DiscordServer, tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(150)]
    setup = scripted(discord_server, tmp_path, {"long": script([Say(" ".join(words), pace=0.03)])})
    async with running(setup):
        threads = [await setup.say("long, please") for _ in range(2)]
        assert (await typed("restart", cwd=setup.root)).status == 0
        for thread in threads:
            await setup.done(thread)
            assert [word for word in setup.text(thread).split() if word.startswith("word")] == words


async def test_a_bot_that_would_not_come_back_does_not_leave(setup: BotSetup) -> None:
    async with running(setup):
        path = setup.root / "claude-discord.toml"
        path.write_text(path.read_text() + "colour = 1\n")
        answer = await typed("restart", cwd=setup.root)
        assert answer.status == 1
        assert answer.errors.startswith("The next bot can't start, so this one keeps running.")
        assert "colour" in answer.errors
        thread = await setup.say("ask me")
        await setup.card(thread, "touch made.txt")


async def test_a_bot_inside_another_program_can_not_be_started_anew(setup: BotSetup) -> None:
    (setup.root / "claude-discord.toml").write_text(f"state = {json.dumps(str(setup.state))}\n")
    async with setup.bot():
        answer = await typed("restart", cwd=setup.root)
    assert answer.status == 1
    assert answer.errors.startswith("This bot runs inside another program")


async def test_the_real_claude_goes_on_and_listens_after_a_restart(
    discord_server: DiscordServer, tmp_path: Path, real_claude: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    async with scripted_api.serve() as api:
        api.on("make a file", script(ASK, [Say("It is there.")]))
        setup = BotSetup(discord_server, tmp_path, (str(real_claude),), api.environment(home))
        async with running(setup):
            thread = await setup.say("Please make a file")
            card = await setup.card(thread, "touch made.txt")
            before = json.loads((await typed("sessions", "--json", cwd=setup.root)).out)["sessions"][0]["process"]
            assert (await typed("restart", cwd=setup.root)).status == 0
            await setup.ada.click(card, "Allow")
            await setup.ada.sees(thread, "It is there.", within=BOUND)
            await setup.done(thread)
            await setup.ada.write(thread, "And now?")
            await setup.ada.sees(thread, "You said: And now?", within=BOUND)
            after = json.loads((await typed("sessions", "--json", cwd=setup.root)).out)["sessions"][0]["process"]
            assert after == before


async def test_what_an_older_bot_let_claude_do_unasked_is_asked_after_a_restart(
    discord_server: DiscordServer, tmp_path: Path, real_claude: Path
) -> None:
    """Older bots gave Claude rules and its own mode `acceptEdits`; here a wrapper program does that."""
    home = tmp_path / "home"
    home.mkdir()
    rules = {"subtype": "apply_flag_settings", "settings": {"permissions": {"allow": ["Bash(chmod:*)"]}}}
    told = json.dumps({"type": "control_request", "request_id": "rules", "request": rules})
    taught = tmp_path / "taught"
    taught.write_text(
        f"#!/bin/sh\n{{ echo '{told}'; exec cat; }} | {real_claude} \"$@\" --permission-mode acceptEdits\n"
    )
    taught.chmod(0o755)
    commands = {"first": "mkdir one", "second": "chmod +x one", "third": "mkdir two", "fourth": "chmod -x one"}
    async with scripted_api.serve() as api:
        for name, command in commands.items():
            api.on(name, script([Use("Bash", {"command": command})], [Say("Tried.")]))
        setup = BotSetup(discord_server, tmp_path, (str(taught),), api.environment(home))
        async with running(setup):
            thread = await setup.say("The first, please")
            await setup.done(thread)
            await setup.ada.write(thread, "The second, please")
            await setup.done(thread, 2)
            assert (await typed("restart", cwd=setup.root)).status == 0
            for name in ("third", "fourth"):
                await setup.ada.write(thread, f"The {name}, please")
                card = await setup.card(thread, commands[name])
                await setup.ada.click(card, "Deny")
                await setup.becomes(card, "Denied")
    assert (setup.project / "one").exists()
    assert not (setup.project / "two").exists()
