"""The bot's own files with the real `claude`, with edits accepted: whatever way leads there, a person is asked."""

import math
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot import config
from bot.app import serving
from sandbox import messages_api as scripted_api
from sandbox.discord import TimeLimits, serve
from sandbox.script import Say, Use, script
from tests.fixtures.discord_judge import judge
from tests.fixtures.house import House
from tests.fixtures.real_claude import OLD_VERSION, real_claude_or_skip, version
from tests.fixtures.scripted_house import write_config
from tests.fixtures.workshop import Workshop, found

STOLEN = "DISCORD_TOKEN=theirs\n"


@pytest.fixture
async def workshop() -> AsyncIterator[Workshop]:
    async with serve(pace=TimeLimits(speed=math.inf), judge=judge) as discord:
        yield found(discord)
        assert discord.violations == []


@pytest.mark.parametrize("cli", [version(), OLD_VERSION])
async def test_no_way_from_the_project_leads_to_the_configuration_unasked(
    workshop: Workshop, tmp_path: Path, cli: str
) -> None:
    """Written straight, by a path that goes up, and through a link to its folder."""
    claude, home = real_claude_or_skip(cli), tmp_path / "home"
    own = tmp_path / "own"
    for folder in (home, own):
        folder.mkdir()
    async with scripted_api.serve() as api:
        house = House(workshop, tmp_path, (str(claude),), api.environment(home))
        file = write_config(own / "claude-discord.toml", house)
        file.write_text(file.read_text().replace("channels", "permission_mode = 'acceptEdits'\nchannels"))
        (house.project / "folder").symlink_to(own)
        secret = own / ".env"  # not there yet: the CLI writes over nothing that it has not read
        ways = [str(secret), f"{house.project}/../own/.env", f"{house.project}/folder/.env"]
        for number, way in enumerate(ways):
            api.on(f"write {number}", script([Use("Write", {"file_path": way, "content": STOLEN})], [Say("Tried.")]))
        inside = Use("Write", {"file_path": f"{house.project}/inside.txt", "content": "fine"})
        api.on("write inside", script([inside], [Say("Tried.")]))
        async with serving(replace(house.start(), settings=config.load(file), file=file)):
            thread = await house.say("write inside")
            await house.done(thread)
            assert (house.project / "inside.txt").read_text() == "fine", "edits are accepted"
            for number in range(len(ways)):
                thread = await house.say(f"write {number}")
                card = await house.card(thread, "a file?")
                assert not secret.exists(), ways[number]
                await house.ada.click(card, "Deny")
                await house.done(thread)
        assert not secret.exists()
