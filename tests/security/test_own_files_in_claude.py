"""Tests with the real `claude`, edits accepted, that a person is asked before it changes the bot's own files."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot import config
from bot.app import serving
from sandbox.messages_api import server as scripted_api
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.real_claude import OLD_VERSION, real_claude_or_skip, version
from tests.fixtures.scripted_setup import write_config

STOLEN = "DISCORD_TOKEN=theirs\n"


@pytest.mark.parametrize("cli", [version(), OLD_VERSION])
async def test_no_way_from_the_project_leads_to_the_configuration_unasked(
    discord_server: DiscordServer, tmp_path: Path, cli: str
) -> None:
    """The direct path, a path with `..`, and a path through a link to its folder."""
    claude, home = real_claude_or_skip(cli), tmp_path / "home"
    own = tmp_path / "own"
    for folder in (home, own):
        folder.mkdir()
    async with scripted_api.serve() as api:
        setup = BotSetup(discord_server, tmp_path, (str(claude),), api.environment(home))
        file = write_config(own / "claude-discord.toml", setup)
        file.write_text(file.read_text().replace("channels", "permission_mode = 'acceptEdits'\nchannels"))
        (setup.project / "folder").symlink_to(own)
        secret = own / ".env"  # doesn't exist yet: the CLI overwrites no file that it has not read
        ways = [str(secret), f"{setup.project}/../own/.env", f"{setup.project}/folder/.env"]
        for number, way in enumerate(ways):
            api.on(f"write {number}", script([Use("Write", {"file_path": way, "content": STOLEN})], [Say("Tried.")]))
        inside = Use("Write", {"file_path": f"{setup.project}/inside.txt", "content": "fine"})
        api.on("write inside", script([inside], [Say("Tried.")]))
        async with serving(replace(setup.start(), settings=config.load(file), file=file)):
            thread = await setup.say("write inside")
            await setup.done(thread)
            assert (setup.project / "inside.txt").read_text() == "fine", "edits are accepted"
            for number in range(len(ways)):
                thread = await setup.say(f"write {number}")
                card = await setup.card(thread, "a file?")
                assert not secret.exists(), ways[number]
                await setup.ada.click(card, "Deny")
                await setup.done(thread)
        assert not secret.exists()
