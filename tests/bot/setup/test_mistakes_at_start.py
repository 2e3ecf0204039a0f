"""Tests that a wrong setup never starts halfway: all mistakes are reported, each with how to fix it."""

import asyncio
import base64
import json
import signal
from pathlib import Path

import pytest

from bot.errors import DiscordAway, StateError
from bot.store import Store
from bot.store.schema import MIGRATIONS
from sandbox.scripts.script import Say, script
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import BOUND, command, outcome, scripted, write_config

TOKEN = base64.b64encode(b"1234567890").decode().rstrip("=") + ".moment.secret"


def written(folder: Path, *, people: str = "users = [1]", project: str = "channels = [2]") -> Path:
    path = folder / "claude-discord.toml"
    (folder / "project").mkdir(exist_ok=True)
    state = json.dumps(str(folder / "state"))
    path.write_text(f'state = {state}\n[people]\n{people}\n[projects.demo]\nfolder = "project"\n{project}\n')
    return path


async def test_without_a_token_the_command_says_how_to_get_one(tmp_path: Path) -> None:
    status, errors = await outcome("--config", str(written(tmp_path)), cwd=tmp_path)
    assert status == 2
    assert errors.startswith("No Discord bot token is configured.")
    assert "`claude-discord sandbox`" in errors
    assert "Traceback" not in errors


async def test_a_mistyped_path_is_named_even_without_a_token(tmp_path: Path) -> None:
    status, errors = await outcome("--config", str(tmp_path / "typo.toml"), cwd=tmp_path)
    assert status == 2
    assert errors.startswith(f"There is no {tmp_path}/typo.toml.")


async def test_with_nobody_named_the_command_refuses_to_start(tmp_path: Path) -> None:
    path = written(tmp_path, people="")
    status, errors = await outcome("--config", str(path), cwd=tmp_path, DISCORD_TOKEN=TOKEN)
    assert status == 2
    assert "nobody may talk to Claude" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("token", ["hunter2", "a.b.c", "ümläut.b.c", TOKEN + ".more"])
async def test_an_ill_formed_token_is_one_sentence(tmp_path: Path, token: str) -> None:
    status, errors = await outcome("--config", str(written(tmp_path)), cwd=tmp_path, DISCORD_TOKEN=token)
    assert (status, len(errors.splitlines())) == (2, 1)
    assert "does not look like a bot token" in errors
    assert token not in errors


async def test_a_token_that_discord_refuses_is_one_sentence(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {})
    path = write_config(tmp_path / "claude-discord.toml", setup)
    status, errors = await outcome("--config", str(path), cwd=tmp_path, DISCORD_TOKEN=TOKEN)
    assert (status, len(errors.splitlines())) == (2, 1), errors
    assert "Discord does not accept the bot token." in errors
    assert TOKEN not in errors


async def test_a_port_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    path = written(tmp_path)
    status, errors = await outcome("--config", str(path), "--port", "70000", cwd=tmp_path, DISCORD_TOKEN=TOKEN)
    assert status == 2
    assert "70000" in errors
    assert "Traceback" not in errors


async def test_two_bots_do_not_share_a_state_folder(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {"hello": script([Say("Still here.")])})
    path = write_config(tmp_path / "claude-discord.toml", setup)
    async with setup.bot():
        with pytest.raises(StateError, match="Another claude-discord already uses"):
            async with setup.bot():
                pass
        status, errors = await outcome("--config", str(path), cwd=tmp_path, DISCORD_TOKEN=setup.discord.token)
        assert (status, len(errors.splitlines())) == (2, 1), errors
        assert "Another claude-discord already uses" in errors
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "Still here.")
    async with setup.bot():
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "Still here.")


async def test_a_state_folder_that_is_a_file_is_one_sentence(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {})
    setup.state.write_text("")
    with pytest.raises(StateError, match=r"can't be used: .* Choose another"):
        async with setup.bot():
            pass


def test_a_state_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    with Store.open(path) as store:
        store._db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StateError, match="written by a newer claude-discord"), Store.open(path):
        pass


async def test_a_project_that_is_no_longer_configured_does_not_keep_the_bot_from_starting(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, {"hello": script([Say("Still here.")])})
    async with setup.bot() as running:
        thread = await setup.say("hello")
        await setup.done(thread)
        running.store._db.execute("UPDATE prompt SET state = 'queued'")  # type: ignore[attr-defined]
    setup.settings["projects"] = {"renamed": {"folder": str(setup.project), "channels": [setup.channel.id]}}
    async with setup.bot():
        again = await setup.say("hello")
        await setup.ada.sees(again, "Still here.")


async def test_a_discord_that_is_not_there_is_one_sentence(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {}, discord_api="http://127.0.0.1:9/api/v10")
    with pytest.raises(DiscordAway, match="Discord can't be reached") as error:
        async with setup.bot():
            pass
    assert error.value.status == 1, "after a start of the machine the network may come later: systemd tries again"


async def test_a_bot_that_is_still_logging_in_can_be_stopped(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = scripted(discord_server, tmp_path, {})
    path = write_config(tmp_path / "claude-discord.toml", setup)
    knocked = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        knocked.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    path.write_text(path.read_text().replace(setup.discord.rest_url, f"http://127.0.0.1:{port}/api/v10"))
    async with (
        server,
        command("--config", str(path), cwd=tmp_path, DISCORD_TOKEN=TOKEN) as process,
        asyncio.timeout(BOUND),
    ):
        await knocked.wait()
        process.send_signal(signal.SIGTERM)
        _, errors = await process.communicate()
    assert process.returncode == 0
    assert "Traceback" not in errors.decode()
