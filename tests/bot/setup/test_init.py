"""Tests `claude-discord init` against the sandbox's Discord, from nothing to a bot that answers."""

import asyncio
import json
import os
import signal
import stat
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot import config
from bot.setup import config_files
from sandbox.discord import Permission
from tests.fixtures.command_line import BOUND, Terminal, at_a_terminal, started, typed
from tests.fixtures.discord_server import DiscordServer


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a folder to work in, and a program that claims to be `claude`."""
    (tmp_path / "work").mkdir()
    (tmp_path / "bin").mkdir()
    claude = tmp_path / "bin" / "claude"
    claude.write_text('#!/bin/sh\necho "2.1.326 (Claude Code)"\n')
    claude.chmod(0o755)
    return tmp_path


def around(home: Path, discord_server: DiscordServer) -> dict[str, str]:
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "CLAUDE_DISCORD_API": discord_server.discord.rest_url,
    }


def written(home: Path) -> Path:
    return home / "config" / "claude-discord" / "claude-discord.toml"


@asynccontextmanager
async def setting_up(
    home: Path, discord_server: DiscordServer, *words: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await started(
        *("init", "--json", "--token-stdin", "--no-service", *words), cwd=home / "work", **around(home, discord_server)
    )
    assert process.stdin is not None
    process.stdin.write(discord_server.discord.token.encode() + b"\n")
    process.stdin.close()
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def told(process: asyncio.subprocess.Process, field: str) -> Any:
    """Wait until it prints this field, and return its value."""
    assert process.stdout is not None
    async with asyncio.timeout(BOUND):
        while line := await process.stdout.readline():
            if field in (said := json.loads(line)):
                return said[field]
    raise AssertionError((await process.communicate())[1].decode())


async def test_from_nothing_to_a_configuration_that_the_doctor_finds_well(
    home: Path, discord_server: DiscordServer
) -> None:
    async with setting_up(home, discord_server) as process:
        link = await told(process, "invitation")
        code = await told(process, "code")
        await discord_server.eve.write(discord_server.channel, "good morning")
        await discord_server.ada.write(discord_server.channel, f" {code.lower()} ")
        assert await told(process, "user") == discord_server.ada.user.id
        findings = await told(process, "findings")
        assert [finding for finding in findings if not finding["ok"]] == []
        async with asyncio.timeout(BOUND):
            assert await process.wait() == 0
    asked = parse_qs(urlsplit(link).query)
    assert asked["client_id"] == [str(discord_server.discord.application_id)]
    assert asked["scope"] == ["bot applications.commands"]
    assert Permission(int(asked["permissions"][0])) == (
        Permission.VIEW_CHANNEL
        | Permission.SEND_MESSAGES
        | Permission.CREATE_PUBLIC_THREADS
        | Permission.SEND_MESSAGES_IN_THREADS
        | Permission.ATTACH_FILES
        | Permission.READ_MESSAGE_HISTORY
    )
    settings = config.load(written(home))
    assert settings.people.users == {discord_server.ada.user.id}
    (project,) = settings.projects.values()
    assert (project.name, project.folder, project.channels) == ("work", home / "work", {discord_server.channel.id})
    for file in (written(home), written(home).parent / ".env"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert config.secret({}, folder=written(home).parent) == discord_server.discord.token
    await discord_server.ada.sees(discord_server.channel, "You can go back to the terminal.")


async def test_a_bot_that_may_not_read_messages_is_given_that(home: Path, discord_server: DiscordServer) -> None:
    discord_server.discord.world.application.flags = 0
    async with setting_up(home, discord_server, "--yes") as process:
        assert await told(process, "intent") is True
        code = await told(process, "code")
        await discord_server.ada.write(discord_server.channel, code)
        assert await told(process, "channel") == discord_server.channel.id


async def test_nobody_who_types_the_code_is_waited_for_only_so_long(home: Path, discord_server: DiscordServer) -> None:
    async with setting_up(home, discord_server, "--wait", "0.2") as process:
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert errors.decode().startswith("Nobody wrote ")
    assert not written(home).exists()


BY_FLAGS = ("init", "--token-stdin", "--no-service", "--user", "1", "--channel", "2")


async def test_everything_can_be_answered_beforehand(home: Path, discord_server: DiscordServer) -> None:
    answer = await typed(
        *(*BY_FLAGS, "--name", "my project", "--config", str(home / "here.toml")),
        cwd=home / "work",
        stdin=discord_server.discord.token,
        **around(home, discord_server),
    )
    assert answer.status == 1, "the doctor sees that channel 2 is not there"
    assert "✗ channel 2 of my project: there is no such channel" in answer.out
    assert config.load(home / "here.toml").projects["my project"].channels == {2}


async def test_nothing_is_replaced_without_a_yes(home: Path, discord_server: DiscordServer) -> None:
    here = home / "here.toml"
    here.write_text("mine\n")
    secret = home / ".env"
    secret.write_text("OTHER=1\nexport DISCORD_TOKEN=old\nLAST=2")
    options = {"cwd": home / "work", "stdin": discord_server.discord.token, **around(home, discord_server)}
    answer = await typed(*BY_FLAGS, "--config", str(here), **options)
    assert (answer.status, here.read_text()) == (2, "mine\n")
    assert "Pass --yes to replace it" in answer.errors
    here.unlink()
    answer = await typed(*BY_FLAGS, "--config", str(here), **options)
    assert answer.status == 2
    assert "already has a token" in answer.errors
    assert not here.exists()
    await typed(*BY_FLAGS, "--yes", "--config", str(here), **options)
    assert here.exists()
    assert secret.read_text() == f"OTHER=1\nDISCORD_TOKEN={discord_server.discord.token}\nLAST=2"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("token", "says"),
    [("hunter2", "does not look like a bot token"), ("MTIzNA.x.y", "Discord does not accept this token")],
)
async def test_a_token_that_is_wrong_ends_it_before_anything_is_written(
    home: Path, discord_server: DiscordServer, token: str, says: str
) -> None:
    answer = await typed(*BY_FLAGS, cwd=home / "work", stdin=token, **around(home, discord_server))
    assert (answer.status, len(answer.errors.splitlines())) == (2, 1)
    assert says in answer.errors
    assert token not in answer.errors
    assert not (home / "config").exists()


async def test_with_nobody_to_ask_it_says_which_option_answers(home: Path, discord_server: DiscordServer) -> None:
    answer = await typed("init", cwd=home / "work", **around(home, discord_server))
    assert answer.status == 2
    assert "--token-stdin" in answer.errors


def initialised(home: Path, discord_server: DiscordServer) -> AbstractAsyncContextManager[Terminal]:
    return at_a_terminal(home / "work", around(home, discord_server), "init", "--no-service")


async def test_a_person_at_a_terminal_is_asked_and_the_token_is_not_shown(
    home: Path, discord_server: DiscordServer
) -> None:
    async with initialised(home, discord_server) as terminal:
        await terminal.answers("Bot token .hidden.:", discord_server.discord.token + "\n")
        await terminal.answers("Which folder should Claude work in", "\n")
        await terminal.answers("What should the project be called", "demo\n")
        code = await terminal.shows(r"that Claude should work in:\s+(\w{4}-\w{4})\s")
        await discord_server.ada.write(discord_server.channel, code[1])
        await terminal.shows("No problems found.")
        await terminal.shows(r"Start the bot with: claude-discord run\s*$")
        assert await terminal.ends() == 0
    assert discord_server.discord.token not in terminal.screen
    assert "demo" in config.load(written(home)).projects


def fall_asleep(process: int) -> None:
    """Wait until it reads its input: a signal just before that would be handled only afterwards."""
    told = Path(f"/proc/{process}/stat")
    while told.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "S":
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells that a process reads")
@pytest.mark.parametrize("question", ["Bot token", "Which folder"])
async def test_ctrl_c_at_a_question_ends_it_at_once(home: Path, discord_server: DiscordServer, question: str) -> None:
    async with initialised(home, discord_server) as terminal:
        await terminal.shows("Bot token .hidden.:")
        if question != "Bot token":
            await terminal.answers(".hidden.", discord_server.discord.token + "\n")
        await terminal.shows(question)
        await asyncio.wait_for(asyncio.to_thread(fall_asleep, terminal.process.pid), BOUND)
        terminal.process.send_signal(signal.SIGINT)
        assert await terminal.ends() == 130
    assert not written(home).exists()


async def test_a_token_that_discord_refuses_is_told_before_anything_else_is_asked(
    home: Path, discord_server: DiscordServer
) -> None:
    async with initialised(home, discord_server) as terminal:
        await terminal.answers("Bot token .hidden.:", "MTIzNDU2Nzg5MDEyMzQ1Njc4.aaaaaa.bbbbbb\n")
        await terminal.shows("Discord does not accept this token")
        assert await terminal.ends() == 2
    assert "folder" not in terminal.screen


async def test_who_ends_the_input_instead_of_answering_is_told_that_nothing_was_done(
    home: Path, discord_server: DiscordServer
) -> None:
    async with initialised(home, discord_server) as terminal:
        await terminal.answers("Bot token .hidden.:", discord_server.discord.token + "\n")
        await terminal.answers("Which folder should Claude work in", "\x04")
        await terminal.shows("No answer, so nothing more was done.")
        assert await terminal.ends() == 2
    assert "Traceback" not in terminal.screen
    assert not written(home).exists()


def test_a_name_of_any_characters_makes_a_configuration_that_can_be_read(tmp_path: Path) -> None:
    name, folder = 'a "quoted" [name] ü', tmp_path / "with 'quotes' \\ and ü"
    folder.mkdir()
    beginning = config_files.FirstConfig(1, "ada\n[people]", 2, "#\u2028general", folder, name)
    path = tmp_path / "claude-discord.toml"
    path.write_text(config_files.configuration(beginning), encoding="utf-8")
    settings = config.load(path)
    assert settings.people.users == {1}
    assert settings.projects[name].folder == folder
