"""What the rule book builds on: the real `claude` takes over a whole list of rules at any moment."""

import asyncio
from pathlib import Path

import pytest

from sandbox.api import serve
from sandbox.script import Say, Use, script
from tests.cli import OLD_VERSION, real_claude_or_skip, version
from tests.sandbox_claude.driver import Agent, Project, started


@pytest.fixture(params=[version(), OLD_VERSION])
def claude(request: pytest.FixtureRequest) -> Path:
    return real_claude_or_skip(request.param)


async def teach(agent: Agent, name: str, *rules: str) -> None:
    agent.control(name, subtype="apply_flag_settings", settings={"permissions": {"allow": list(rules)}})
    assert (await agent.reply(name))["subtype"] == "success"


async def test_a_list_of_rules_replaces_the_one_before_it_at_once(claude: Path, tmp_path: Path) -> None:
    project = Project(tmp_path)
    async with serve() as api, asyncio.timeout(50):
        for number in range(5):
            api.on(f"GO{number}", script([Use("Bash", {"command": f"touch file{number}"})], [Say("done")]))
        async with started([str(claude)], project, api.environment(project.home)) as agent:
            asked = []
            await teach(agent, "first", "Bash(touch:*)")
            await agent.ask("GO0")
            asked.append(len(project.asked()))
            await teach(agent, "second", "Bash(touch file2)")
            await agent.ask("GO1")
            asked.append(len(project.asked()))
            await agent.ask("GO2")
            asked.append(len(project.asked()))
            await teach(agent, "third")
            await agent.ask("GO3")
            asked.append(len(project.asked()))
            project.decide({"*": "hang"})
            agent.say("GO4")
            await project.until_asked("Bash", 3)
            await teach(agent, "while it waits", "Bash(touch:*)")
            agent.control("stop", subtype="interrupt")
            await agent.result()
            await agent.ask("GO4 again")
            asked.append(len(project.asked()))
            await agent.end()
    assert asked == [0, 1, 1, 2, 3]
    assert (project.cwd / "file4").exists()
