"""`claude-discord restart`: the bot starts anew, and Claude's turns go on as if nothing had happened."""

import asyncio
import json
from pathlib import Path

import pytest

from sandbox import messages_api as scripted_api
from sandbox.script import Say, Use, WaitFor, script
from tests.fixtures.command_line import BOUND, running, started, typed
from tests.fixtures.house import House, buttons
from tests.fixtures.scripted_house import gone, processes, scripted
from tests.fixtures.workshop import Workshop

ASK = [Say("I would like to."), Use("Bash", {"command": "touch made.txt"})]


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    slow = script([Say("Before the restart. "), WaitFor(str(tmp_path / "go on")), Say("And after it.")])
    return scripted(workshop, tmp_path, {"slow": slow, "ask": script(ASK, [Say("It is there.")])})


async def test_a_turn_goes_on_through_a_restart_and_so_does_its_process(house: House) -> None:
    async with running(house) as bot:
        thread = await house.say("slow, please")
        await house.ada.sees(thread, "Before the restart.", within=BOUND)
        (claude,) = processes(house, "sandbox.scripted_claude")
        answer = await typed("restart", "--json", cwd=house.root)
        assert (answer.status, answer.errors) == (0, "")
        assert json.loads(answer.out)["kept"] == 1
        await bot.says("Ready.", 2)
        assert bot.process.returncode is None, "a supervisor sees the same process"
        (house.root / "go on").touch()
        await house.ada.sees(thread, "And after it.", within=BOUND)
        await house.done(thread)
        assert house.text(thread).count("Before the restart.") == 1
        await house.ada.write(thread, "Are you the same?")
        await house.ada.sees(thread, "You said: Are you the same?", within=BOUND)
        assert processes(house, "sandbox.scripted_claude") == [claude], "it was spoken to, not started anew"
        left = [process for process in processes(house) if process.pid != bot.process.pid]
    assert bot.process.returncode == 0
    assert await gone(left) == []
    assert "Traceback" not in bot.said


async def test_an_open_card_can_be_pressed_after_two_restarts(house: House) -> None:
    async with running(house):
        thread = await house.say("ask me")
        card = await house.card(thread, "touch made.txt")
        for _ in range(2):
            assert (await typed("restart", cwd=house.root)).status == 0
        assert "Allow" in buttons(card)
        assert not (await house.ada.click(card, "Allow")).failed
        await house.ada.sees(thread, "It is there.", within=BOUND)
        await house.done(thread)
        assert (house.project / "made.txt").exists()


async def test_who_waits_at_the_terminal_gets_the_whole_answer_once(house: House) -> None:
    async with running(house):
        waiting = await started("say", "demo", "slow, please", "--wait", cwd=house.root)
        assert waiting.stdout is not None
        before = await waiting.stdout.readexactly(len("Before the restart. "))
        assert (await typed("restart", cwd=house.root)).status == 0
        (house.root / "go on").touch()
        async with asyncio.timeout(BOUND):
            out, errors = await waiting.communicate()
    assert (waiting.returncode, errors) == (0, b"")
    assert (before + out).decode().split() == ["Before", "the", "restart.", "And", "after", "it."]


async def test_who_waits_at_the_terminal_is_told_once_that_a_person_is_needed(house: House) -> None:
    async with running(house):
        waiting = await started("say", "demo", "ask me", "--wait", cwd=house.root)
        assert waiting.stderr is not None
        async with asyncio.timeout(BOUND):
            told = [await waiting.stderr.readline() for _ in range(2)]
        assert (await typed("restart", cwd=house.root)).status == 0
        (thread,) = json.loads((await typed("--json", "sessions", cwd=house.root)).out)["sessions"]
        card = await house.card(house.discord.world.channels[thread["thread"]], "touch made.txt")
        await house.ada.click(card, "Allow")
        async with asyncio.timeout(BOUND):
            out, errors = await waiting.communicate()
    assert told == [b"\n", b"[waiting in Discord for a decision: Bash]\n"], "on a line of its own"
    assert (waiting.returncode, out.split()[-3:], errors) == (0, [b"It", b"is", b"there."], b"")


async def test_what_streams_during_a_restart_stands_there_once(workshop: Workshop, tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(150)]
    house = scripted(workshop, tmp_path, {"long": script([Say(" ".join(words), pace=0.03)])})
    async with running(house):
        threads = [await house.say("long, please") for _ in range(2)]
        assert (await typed("restart", cwd=house.root)).status == 0
        for thread in threads:
            await house.done(thread)
            assert [word for word in house.text(thread).split() if word.startswith("word")] == words


async def test_a_bot_that_would_not_come_back_does_not_leave(house: House) -> None:
    async with running(house):
        path = house.root / "claude-discord.toml"
        path.write_text(path.read_text() + "colour = 1\n")
        answer = await typed("restart", cwd=house.root)
        assert answer.status == 1
        assert answer.errors.startswith("The next bot would not start, so this one stays.")
        assert "colour" in answer.errors
        thread = await house.say("ask me")
        await house.card(thread, "touch made.txt")


async def test_a_bot_inside_another_program_can_not_be_started_anew(house: House) -> None:
    (house.root / "claude-discord.toml").write_text(f"state = {json.dumps(str(house.state))}\n")
    async with house.bot():
        answer = await typed("restart", cwd=house.root)
    assert answer.status == 1
    assert answer.errors.startswith("This bot runs inside another program")


async def test_the_real_claude_goes_on_and_listens_after_a_restart(
    workshop: Workshop, tmp_path: Path, real_claude: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    async with scripted_api.serve() as api:
        api.on("make a file", script(ASK, [Say("It is there.")]))
        house = House(workshop, tmp_path, (str(real_claude),), api.environment(home))
        async with running(house):
            thread = await house.say("Please make a file")
            card = await house.card(thread, "touch made.txt")
            before = json.loads((await typed("sessions", "--json", cwd=house.root)).out)["sessions"][0]["process"]
            assert (await typed("restart", cwd=house.root)).status == 0
            await house.ada.click(card, "Allow")
            await house.ada.sees(thread, "It is there.", within=BOUND)
            await house.done(thread)
            await house.ada.write(thread, "And now?")
            await house.ada.sees(thread, "You said: And now?", within=BOUND)
            after = json.loads((await typed("sessions", "--json", cwd=house.root)).out)["sessions"][0]["process"]
            assert after == before


async def test_what_an_older_bot_let_claude_do_unasked_is_asked_after_a_restart(
    workshop: Workshop, tmp_path: Path, real_claude: Path
) -> None:
    """Older bots told Claude rules, and its own mode `acceptEdits`; a program in between does it here."""
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
        house = House(workshop, tmp_path, (str(taught),), api.environment(home))
        async with running(house):
            thread = await house.say("The first, please")
            await house.done(thread)
            await house.ada.write(thread, "The second, please")
            await house.done(thread, 2)
            assert (await typed("restart", cwd=house.root)).status == 0
            for name in ("third", "fourth"):
                await house.ada.write(thread, f"The {name}, please")
                card = await house.card(thread, commands[name])
                await house.ada.click(card, "Deny")
                await house.becomes(card, "Denied")
    assert (house.project / "one").exists()
    assert not (house.project / "two").exists()
