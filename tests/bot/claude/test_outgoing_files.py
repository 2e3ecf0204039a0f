"""Tests that attachments stay in their folder whatever their names, and that nothing outside the project is sent."""

import os
from pathlib import Path

import pytest

from bot.claude.outgoing_files import sendable
from bot.messages import File
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "inside.txt").write_text("inside", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside", encoding="utf-8")
    (tmp_path / "project-of-another").mkdir()
    (tmp_path / "project-of-another" / "file.txt").write_text("another", encoding="utf-8")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "folder-link").symlink_to(tmp_path)
    (project / "loop").symlink_to(project / "loop")
    os.mkfifo(project / "pipe")
    return project


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "./x/../../outside.txt",
        "link.txt",
        "folder-link/outside.txt",
        "../project-of-another/file.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "~/.ssh/id_rsa",
        "loop",
        "pipe",
        ".",
        "",
        "inside.txt\0.png",
        "x" * 5000,
    ],
)
def test_a_file_that_is_not_in_the_project_is_not_sent(project: Path, path: str) -> None:
    for written in (path, str(project / path) if "\0" not in path else path):
        assert isinstance(sendable(written, project, {}), str)


def test_a_file_that_is_in_the_project_is_sent(project: Path) -> None:
    found = sendable("inside.txt", project, {})
    assert isinstance(found, File)
    assert found.content == b"inside"


SEND = "mcp__discord__send_file"


def send(api: MessagesApi, path: object, caption: str = "") -> None:
    api.on("send it", script([Say("Here it comes."), Use(SEND, {"path": str(path), "caption": caption})], [Say("So.")]))


async def test_claude_sends_a_file_without_asking_and_goes_on_below_it(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    (setup.project / "report.md").write_text("# All is well\n")
    send(api, "report.md", "The report that you wanted")
    async with setup.bot():
        thread = await setup.say("Please send it")
        file = await setup.ada.sees(thread, "The report that you wanted", within=20)
        assert [(each.name, each.content) for each in file.attachments] == [("report.md", b"# All is well\n")]
        assert "report.md was sent." in (await api.reached("send it", 1)).tool_results
        await setup.done(thread)
        after = await setup.ada.sees(thread, "So.")
        before = await setup.ada.sees(thread, "Here it comes.")
        assert before.id < file.id < after.id


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/hostname", "outside the project"),
        ("../outside.txt", "outside the project"),
        ("link.txt", "outside the project"),
        (".env", "looks like a secret"),
        ("key.txt", "contains a private key"),
        (".git/config", "version control"),
        ("missing.txt", "can't be read"),
        ("folder", "is not a file"),
    ],
)
def test_what_may_not_be_sent(tmp_path: Path, path: str, reason: str) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / "folder").mkdir()
    (project / ".git" / "config").write_text("[core]")
    (tmp_path / "outside.txt").write_text("not yours")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / ".env").write_text("TOKEN=1")
    (project / "key.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
    refused = sendable(path, project, {})
    assert isinstance(refused, str)
    assert reason in refused
