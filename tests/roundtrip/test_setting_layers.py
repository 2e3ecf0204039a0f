"""Tests that the layers of settings reach the real `claude`."""

import json
from pathlib import Path

from sandbox.messages_api import server as scripted_api
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.git_repository import repository


async def test_every_layer_reaches_the_real_claude(
    discord_server: DiscordServer, tmp_path: Path, real_claude: Path
) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "notes.txt").write_text("from beside")
    home = tmp_path / "home"
    home.mkdir()
    async with scripted_api.serve() as api:
        setup = BotSetup(discord_server, tmp_path, (str(real_claude),), api.environment(home))
        setup.project_settings |= {
            "model": "claude-sonnet-4-5",
            "system_prompt": "Answer like a pirate, and never mention -- flags.",
            "allowed_tools": ["Bash(touch:*)", "Bash(printenv:*)"],
            "extra_folders": [str(more)],
            "environment": {"COLOUR": "very green"},
            "isolation": "worktree",
        }
        repository(setup.project)
        reading = Use("Read", {"file_path": str(more / "notes.txt")})
        colour = Use("Bash", {"command": "printenv COLOUR"})
        touch = Use("Bash", {"command": "touch made"})
        api.on("work", script([reading], [colour], [touch], [Say("Arr.")]))
        async with setup.bot():
            thread = await setup.say("work")
            await setup.done(thread)
            assert not [message for message in setup.ada.messages(thread) if "Allow" in buttons(message)]
        first = await api.reached("work", 0)
        assert "Answer like a pirate, and never mention -- flags." in json.dumps(first.body["system"])
        assert first.body["model"] == "claude-sonnet-4-5"
        assert "from beside" in (await api.reached("work", 1)).tool_results
        assert "very green" in (await api.reached("work", 2)).tool_results
        assert (setup.state / "worktrees" / str(thread.id) / "made").exists()
        assert not (setup.project / "made").exists()
