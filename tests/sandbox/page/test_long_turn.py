"""Tests how a long turn of the real `claude` reads on a laptop and on a phone."""

from pathlib import Path

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from sandbox import run
from sandbox.claude_command import AgentCommand
from sandbox.messages_api.server import MessagesApi
from sandbox.messages_api.server import serve as serve_api
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.browser import SCREENS, Opening

pytestmark = pytest.mark.asyncio(loop_scope="session")

TABLE = """Here is how they compare:

| database | fast | simple | for many |
|:--|--:|:-:|---|
| SQLite | 9 | yes | one each |
| Postgres | 8 | no | yes |

And now the whole story.
"""
PARAGRAPH = "The quick brown fox jumps over the lazy dog, and the dog lets it pass because it has seen foxes before. "
STORY = "\n\n".join(f"## Chapter {number}\n\n{PARAGRAPH * 6}" for number in range(1, 48))
"""A text of more than 30 kB."""


def todos(first: str, second: str) -> Use:
    return Use(
        "TodoWrite",
        {
            "todos": [
                {"content": "Read the code", "status": first, "activeForm": "Reading the code"},
                {"content": "Compare the databases", "status": second, "activeForm": "Comparing the databases"},
            ]
        },
    )


def play(api: MessagesApi, project: Path) -> None:
    reads = [Use("Read", {"file_path": str(project / name)}) for name in ("README.md", "hello.py")] * 3
    count = {"description": "Count the files", "prompt": "SUBAGENT", "run_in_background": False}
    api.on(
        "compare them",
        script(
            [Say("I'll look around first."), todos("in_progress", "pending")],
            [*reads, Use("Grep", {"pattern": "greet", "path": str(project)})],
            [Say("Now a command that fails:"), Use("Bash", {"command": "ls missing-folder"})],
            [Use("Agent", count), todos("completed", "in_progress")],
            [todos("completed", "completed"), Say(TABLE + "\n" + STORY)],
        ),
    )
    api.on("SUBAGENT", script([Use("Read", {"file_path": str(project / "hello.py")})], [Say("There are two files.")]))


@pytest.mark.timeout(120)
async def test_a_long_turn_can_be_read(opening: Opening, tmp_path: Path, real_claude: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    project = run.sample(tmp_path)
    async with serve_api() as api:
        play(api, project)
        todo_tools = {"CLAUDE_CODE_ENABLE_TASKS": "0", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
        agent = AgentCommand("The real claude", (str(real_claude),), api.environment(home) | todo_tools)
        async with run.opened(tmp_path, project, agent) as page:
            tabs = {screen: await opening(page.address, screen) for screen in SCREENS}
            words = tabs["laptop"].get_by_role("textbox", name="Message")
            await words.fill("Please compare them")
            await words.press("Enter")
            for screen, tab in tabs.items():
                await tab.get_by_role("link", name="Open thread").click()
                await reads_it_all(tab)
                await tab.screenshot(path=tmp_path / f"{screen}-end.png")
                await tab.get_by_text("I'll look around first.").scroll_into_view_if_needed()
                await tab.screenshot(path=tmp_path / f"{screen}-beginning.png")


async def reads_it_all(tab: Tab) -> None:
    messages = tab.get_by_role("list", name="Messages")
    await expect(messages.get_by_text("the full answer is attached").last).to_be_visible()
    await expect(messages.get_by_text("I'll look around first.")).to_be_visible()
    await expect(messages.get_by_text("Compare the databases").first).to_be_visible()
    await expect(messages.get_by_text("Count the files").first).to_be_visible()
    await expect(messages.get_by_text("ls missing-folder").first).to_be_visible()
    table = messages.locator("pre", has_text="SQLite").first
    await expect(table).to_be_visible()
    lines = "e => Math.floor(e.clientHeight / parseFloat(getComputedStyle(e).lineHeight))"
    assert await table.evaluate(lines) <= 5, "the widest table that is drawn as one does not wrap on a phone"
    await expect(messages.get_by_text("answer.md").last).to_be_visible()
    assert not await tab.evaluate("document.documentElement.scrollWidth > innerWidth")
