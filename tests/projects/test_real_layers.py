"""The real `claude` hears what the layers say."""

import json
from pathlib import Path

from sandbox import messages_api as scripted_api
from sandbox.script import Say, Use, script
from tests.fixtures.git_repository import repository
from tests.fixtures.house import House, buttons
from tests.fixtures.workshop import Workshop


async def test_every_layer_reaches_the_real_claude(workshop: Workshop, tmp_path: Path, real_claude: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "notes.txt").write_text("from beside")
    home = tmp_path / "home"
    home.mkdir()
    async with scripted_api.serve() as api:
        house = House(workshop, tmp_path, (str(real_claude),), api.environment(home))
        house.project_settings |= {
            "model": "claude-sonnet-4-5",
            "system_prompt": "Answer like a pirate, and never mention -- flags.",
            "allowed_tools": ["Bash(touch:*)", "Bash(printenv:*)"],
            "extra_folders": [str(more)],
            "environment": {"COLOUR": "very green"},
            "isolation": "worktree",
        }
        repository(house.project)
        reading = Use("Read", {"file_path": str(more / "notes.txt")})
        colour = Use("Bash", {"command": "printenv COLOUR"})
        touch = Use("Bash", {"command": "touch made"})
        api.on("work", script([reading], [colour], [touch], [Say("Arr.")]))
        async with house.bot():
            thread = await house.say("work")
            await house.done(thread)
            assert not [message for message in house.ada.messages(thread) if "Allow" in buttons(message)]
        first = await api.reached("work", 0)
        assert "Answer like a pirate, and never mention -- flags." in json.dumps(first.body["system"])
        assert first.body["model"] == "claude-sonnet-4-5"
        assert "from beside" in (await api.reached("work", 1)).told
        assert "very green" in (await api.reached("work", 2)).told
        assert (house.state / "worktrees" / str(thread.id) / "made").exists()
        assert not (house.project / "made").exists()
