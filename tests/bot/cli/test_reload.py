"""Tests `claude-discord reload`: a change that grants more access waits for an owner, even over a crash or restart."""

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from sandbox.discord import DiscordMessage
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.command_line import BOUND, Bot, Terminal, at_a_terminal, running, running_again, typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")])}
WAITS = "these changes need an owner's approval"


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS)


def file(setup: BotSetup) -> Path:
    return setup.root / "claude-discord.toml"


def loosen(setup: BotSetup, more: str = "allowed_tools = ['Bash']") -> None:
    file(setup).write_text(file(setup).read_text().replace("channels", f"{more}\nchannels"))


def asks(message: DiscordMessage) -> bool:
    return "Keep current settings" in buttons(message)


async def in_force(setup: BotSetup) -> bool:
    """Check whether Claude may now use Bash without asking."""
    told = await setup.ada.command(setup.channel, "settings")
    assert "**demo**" in told.text
    return "`allowed_tools` **`Bash`**" in told.text


async def test_a_change_is_shown_at_the_terminal_and_counts_after_a_yes(setup: BotSetup) -> None:
    async with running(setup):
        answer = await typed("reload", cwd=setup.root)
        assert (answer.status, answer.out, answer.errors) == (0, "The configuration is up to date.\n", "")
        loosen(setup, "allowed_tools = ['Bash']\nenvironment = { NODE_OPTIONS = '--import=x' }")
        answer = await typed("reload", cwd=setup.root)
        assert (answer.status, answer.errors) == (
            2,
            "Can't ask without a terminal. Review the changes, then pass --yes.\n",
        )
        assert answer.out.splitlines() == [
            '! projects.demo.allowed_tools: nothing → ["Bash"]',
            '! projects.demo.environment.NODE_OPTIONS: nothing → "--import=x"',
        ]
        answer = await typed("reload", "--json", cwd=setup.root)
        assert answer.status == 1
        assert json.loads(answer.out)["taken"] is False
        assert not await in_force(setup)
        answer = await typed("reload", "--yes", "--json", cwd=setup.root)
        assert (answer.status, json.loads(answer.out)["taken"]) == (0, True)
        assert await in_force(setup)
        assert (await typed("reload", cwd=setup.root)).out == "The configuration is up to date.\n"
        told = await setup.ada.command(setup.channel, "audit")
        assert "allowed\\_tools" in told.text
        record = (await typed("audit", cwd=setup.root)).out
        assert "NODE_OPTIONS" in record
        assert "--import=x" not in record, "of a variable only the name is kept"
        loosen(setup, "colour = 1")
        answer = await typed("reload", "--yes", cwd=setup.root)
        assert answer.status == 1
        assert "there is no such setting" in answer.errors


async def stops(bot: Bot, *, at_once: bool) -> None:
    bot.process.send_signal(signal.SIGKILL if at_once else signal.SIGTERM)
    async with asyncio.timeout(BOUND):
        await bot.process.wait()


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_start_by_a_supervisor_brings_in_nothing_that_nobody_agreed_to(
    setup: BotSetup, *, at_once: bool
) -> None:
    async with running(setup) as bot:
        await stops(bot, at_once=at_once)
    loosen(setup)
    async with running_again(setup) as bot:
        card = await setup.ada.sees(setup.channel, asks, within=BOUND)
        await stops(bot, at_once=at_once)
    async with running_again(setup) as bot:
        assert not await in_force(setup)
        thread = await setup.say("touch it")
        await setup.card(thread, "touch made.txt")
        assert not (setup.project / "made.txt").exists()
        await setup.ada.click(card, "Approve")
        await setup.becomes(card, "approved it")
        assert await in_force(setup)
    assert WAITS in bot.said
    async with running_again(setup) as bot:
        assert await in_force(setup)
    assert WAITS not in bot.said


async def test_a_file_that_moves_its_own_past_away_is_still_known(setup: BotSetup) -> None:
    async with running(setup):
        pass
    loosen(setup)
    text = file(setup).read_text().replace(json.dumps(str(setup.state)), json.dumps(str(setup.root / "elsewhere")))
    file(setup).unlink()
    real = setup.root / "evil.toml"
    real.write_text(text)
    file(setup).symlink_to(real)
    async with running_again(setup) as bot:
        await setup.ada.sees(setup.channel, asks, within=BOUND)
        assert not await in_force(setup)
    assert WAITS in bot.said
    assert not (setup.root / "elsewhere").exists()


async def test_a_restart_says_that_something_waits_and_does_not_bring_it_in(setup: BotSetup) -> None:
    async with running(setup) as bot:
        loosen(setup)
        answer = await typed("restart", cwd=setup.root)
        assert answer.status == 0
        assert (
            answer.errors == "Waiting for an owner's approval: 1 configuration change. Run `claude-discord reload`.\n"
        )
        await bot.says("Ready.", 2)
        assert not await in_force(setup)
        assert (await typed("reload", "--yes", cwd=setup.root)).status == 0
        assert (await typed("restart", cwd=setup.root)).errors == ""
        assert await in_force(setup)


async def test_what_was_kept_as_it_was_is_still_not_in_force_after_a_restart(setup: BotSetup) -> None:
    async with running(setup):
        loosen(setup)
        card = await setup.ada.sees(setup.channel, asks, within=BOUND)
        await setup.ada.click(card, "Keep current settings")
        await setup.becomes(card, "kept the current settings")
        assert (await typed("restart", cwd=setup.root)).status == 0
        await setup.ada.sees(setup.channel, lambda seen: asks(seen) and seen is not card, within=BOUND)
        assert "kept the current settings" in shown(card)
        assert not await in_force(setup)


@pytest.mark.parametrize(("answer", "counts"), [("y", True), ("n", False), ("", False)])
async def test_whoever_types_the_start_is_asked(setup: BotSetup, answer: str, *, counts: bool) -> None:
    async with running(setup):
        pass
    loosen(setup)
    environment = {**setup.environment, "DISCORD_TOKEN": setup.discord.token}
    words = ("--config", str(file(setup)), "run")
    async with at_a_terminal(setup.root, environment, *words) as terminal:
        await terminal.answers(
            r"has changed and now grants more access:\s+! projects.demo.allowed_tools", f"{answer}\n"
        )
        await terminal.shows("Ready.")
        assert await in_force(setup) is counts
        await ended(terminal)


async def test_no_verb_asks_or_runs_what_a_change_names_before_it_counts(setup: BotSetup) -> None:
    """The change names another program, Discord and state folder; they must not get the token or the prompts."""
    async with running(setup):
        program = setup.root / "program"
        program.write_text(f"#!/bin/sh\ntouch {setup.root}/ran\n")
        program.chmod(0o755)
        text = file(setup).read_text()
        for old, new in (
            (json.dumps(list(setup.command)), json.dumps([str(program)])),
            (setup.discord.rest_url, "http://127.0.0.1:9/api/v10"),
            (json.dumps(str(setup.state)), json.dumps(str(setup.root / "elsewhere"))),
        ):
            assert old in text
            text = text.replace(old, new)
        file(setup).write_text(text)
        found = await typed("doctor", "--json", cwd=setup.root, DISCORD_TOKEN=setup.discord.token)
        findings = {each["about"]: each for each in json.loads(found.out)["findings"]}
        assert "needs an owner's approval" in findings["configuration"]["says"]
        assert findings["token"]["ok"]
        assert (await typed("sessions", cwd=setup.root)).status == 0
        answer = await typed("reload", cwd=setup.root)
        assert {line.split(":")[0] for line in answer.out.splitlines()} == {
            "! state",
            "! discord_api",
            "! claude.command",
        }
        assert not (setup.root / "ran").exists()


async def test_what_looks_like_a_secret_is_for_the_terminal_alone(setup: BotSetup) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with running(setup) as bot:
        loosen(setup, f"extra_args = ['--token={secret}']")
        card = await setup.ada.sees(setup.channel, asks, within=BOUND)
        assert "Approve" not in buttons(card)
        assert secret in (await typed("reload", cwd=setup.root)).out
        assert (await typed("reload", "--yes", cwd=setup.root)).status == 0
        await setup.becomes(card, "Configuration change:")
        assert secret not in setup.text(setup.channel)
        assert secret not in (await typed("audit", cwd=setup.root)).out
    assert secret not in bot.said


async def ended(terminal: Terminal) -> None:
    os.kill(terminal.process.pid, signal.SIGTERM)
    assert await terminal.ends() == 0
