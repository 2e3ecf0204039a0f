"""A changed configuration: what it loosens counts when the owner says so, and no crash or restart brings it in."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from sandbox.discord import DiscordMessage
from sandbox.script import Say, Use, script
from tests.fixtures.command_line import BOUND, Bot, Terminal, at_a_terminal, running, running_again, typed
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")])}
WAITS = "this waits for an owner"


@pytest.fixture
def house(workshop: Workshop, tmp_path: Path) -> House:
    return scripted(workshop, tmp_path, SCRIPTS)


def file(house: House) -> Path:
    return house.root / "claude-discord.toml"


def loosen(house: House, more: str = "allowed_tools = ['Bash']") -> None:
    file(house).write_text(file(house).read_text().replace("channels", f"{more}\nchannels"))


def asks(message: DiscordMessage) -> bool:
    return "Keep as it was" in buttons(message)


async def in_force(house: House) -> bool:
    """Whether Claude may use Bash unasked now."""
    told = await house.ada.command(house.channel, "settings")
    assert "**demo**" in told.text
    return "`allowed_tools` **`Bash`**" in told.text


async def test_a_change_is_shown_at_the_terminal_and_counts_after_a_yes(house: House) -> None:
    async with running(house):
        answer = await typed("reload", cwd=house.root)
        assert (answer.status, answer.out, answer.errors) == (0, "What the file says is in force.\n", "")
        loosen(house, "allowed_tools = ['Bash']\nenvironment = { NODE_OPTIONS = '--import=x' }")
        answer = await typed("reload", cwd=house.root)
        assert (answer.status, answer.errors) == (2, "There is nobody to ask; look at the changes, and pass --yes.\n")
        assert answer.out.splitlines() == [
            '! projects.demo.allowed_tools: nothing → ["Bash"]',
            '! projects.demo.environment.NODE_OPTIONS: nothing → "--import=x"',
        ]
        answer = await typed("reload", "--json", cwd=house.root)
        assert answer.status == 1
        assert json.loads(answer.out)["taken"] is False
        assert not await in_force(house)
        answer = await typed("reload", "--yes", "--json", cwd=house.root)
        assert (answer.status, json.loads(answer.out)["taken"]) == (0, True)
        assert await in_force(house)
        assert (await typed("reload", cwd=house.root)).out == "What the file says is in force.\n"
        told = await house.ada.command(house.channel, "audit")
        assert "allowed\\_tools" in told.text
        record = (await typed("audit", cwd=house.root)).out
        assert "NODE_OPTIONS" in record
        assert "--import=x" not in record, "of a variable only the name is kept"
        loosen(house, "colour = 1")
        answer = await typed("reload", "--yes", cwd=house.root)
        assert answer.status == 1
        assert "there is no such setting" in answer.errors


async def stops(bot: Bot, *, at_once: bool) -> None:
    bot.process.send_signal(signal.SIGKILL if at_once else signal.SIGTERM)
    async with asyncio.timeout(BOUND):
        await bot.process.wait()


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_start_by_a_supervisor_brings_in_nothing_that_nobody_agreed_to(house: House, *, at_once: bool) -> None:
    async with running(house) as bot:
        await stops(bot, at_once=at_once)
    loosen(house)
    async with running_again(house) as bot:
        card = await house.ada.sees(house.channel, asks, within=BOUND)
        await stops(bot, at_once=at_once)
    async with running_again(house) as bot:
        assert not await in_force(house)
        thread = await house.say("touch it")
        await house.card(thread, "touch made.txt")
        assert not (house.project / "made.txt").exists()
        await house.ada.click(card, "Take over")
        await house.becomes(card, "took it over")
        assert await in_force(house)
    assert WAITS in bot.said
    async with running_again(house) as bot:
        assert await in_force(house)
    assert WAITS not in bot.said


async def test_a_file_that_moves_its_own_past_away_is_still_known(house: House) -> None:
    async with running(house):
        pass
    loosen(house)
    text = file(house).read_text().replace(json.dumps(str(house.state)), json.dumps(str(house.root / "elsewhere")))
    file(house).unlink()
    real = house.root / "evil.toml"
    real.write_text(text)
    file(house).symlink_to(real)
    async with running_again(house) as bot:
        await house.ada.sees(house.channel, asks, within=BOUND)
        assert not await in_force(house)
    assert WAITS in bot.said
    assert not (house.root / "elsewhere").exists()


async def test_a_restart_says_that_something_waits_and_does_not_bring_it_in(house: House) -> None:
    async with running(house) as bot:
        loosen(house)
        answer = await typed("restart", cwd=house.root)
        assert answer.status == 0
        assert (
            answer.errors == "1 change(s) of the configuration wait for an owner; `claude-discord reload` shows them.\n"
        )
        await bot.says("Ready.", 2)
        assert not await in_force(house)
        assert (await typed("reload", "--yes", cwd=house.root)).status == 0
        assert (await typed("restart", cwd=house.root)).errors == ""
        assert await in_force(house)


async def test_what_was_kept_as_it_was_is_still_not_in_force_after_a_restart(house: House) -> None:
    async with running(house):
        loosen(house)
        card = await house.ada.sees(house.channel, asks, within=BOUND)
        await house.ada.click(card, "Keep as it was")
        await house.becomes(card, "kept what is in force")
        assert (await typed("restart", cwd=house.root)).status == 0
        await house.ada.sees(house.channel, lambda seen: asks(seen) and seen is not card, within=BOUND)
        assert "kept what is in force" in shown(card)
        assert not await in_force(house)


@pytest.mark.parametrize(("answer", "counts"), [("y", True), ("n", False), ("", False)])
async def test_whoever_types_the_start_is_asked(house: House, answer: str, *, counts: bool) -> None:
    async with running(house):
        pass
    loosen(house)
    environment = {**house.environment, "DISCORD_TOKEN": house.discord.token}
    words = ("--config", str(file(house)), "run")
    async with at_a_terminal(house.root, environment, *words) as terminal:
        await terminal.answers(r"has changed since it last counted:\s+! projects.demo.allowed_tools", f"{answer}\n")
        await terminal.shows("Ready.")
        assert await in_force(house) is counts
        await ended(terminal)


async def test_no_verb_asks_or_runs_what_a_change_names_before_it_counts(house: House) -> None:
    """Another program, another Discord and another state: the token and the prompts stay where they were."""
    async with running(house):
        program = house.root / "program"
        program.write_text(f"#!/bin/sh\ntouch {house.root}/ran\n")
        program.chmod(0o755)
        text = file(house).read_text()
        for old, new in (
            (json.dumps(list(house.command)), json.dumps([str(program)])),
            (house.discord.rest_url, "http://127.0.0.1:9/api/v10"),
            (json.dumps(str(house.state)), json.dumps(str(house.root / "elsewhere"))),
        ):
            assert old in text
            text = text.replace(old, new)
        file(house).write_text(text)
        found = await typed("doctor", "--json", cwd=house.root, DISCORD_TOKEN=house.discord.token)
        findings = {each["about"]: each for each in json.loads(found.out)["findings"]}
        assert "waits for an owner" in findings["configuration"]["says"]
        assert findings["token"]["ok"]
        assert (await typed("sessions", cwd=house.root)).status == 0
        answer = await typed("reload", cwd=house.root)
        assert {line.split(":")[0] for line in answer.out.splitlines()} == {
            "! state",
            "! discord_api",
            "! claude.command",
        }
        assert not (house.root / "ran").exists()


async def test_what_looks_like_a_secret_is_for_the_terminal_alone(house: House) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with running(house) as bot:
        loosen(house, f"extra_args = ['--token={secret}']")
        card = await house.ada.sees(house.channel, asks, within=BOUND)
        assert "Take over" not in buttons(card)
        assert secret in (await typed("reload", cwd=house.root)).out
        assert (await typed("reload", "--yes", cwd=house.root)).status == 0
        await house.becomes(card, "A change of the configuration.")
        assert secret not in house.text(house.channel)
        assert secret not in (await typed("audit", cwd=house.root)).out
    assert secret not in bot.said


async def ended(terminal: Terminal) -> None:
    os.kill(terminal.process.pid, signal.SIGTERM)
    assert await terminal.ends() == 0
