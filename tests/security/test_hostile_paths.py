"""Tests that nothing of a file that Claude may not read reaches Discord, whatever the path on the card."""

import asyncio
import json
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from bot.claude.file_reader import look_at
from bot.claude.outgoing_files import sendable
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.ports import ReadScope
from sandbox.discord import DiscordChannel
from sandbox.messages_api import server as scripted_api
from sandbox.scripts.script import Say, Use, script
from sandbox.scripts.script_file import save
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import ROOT, scripted, write_config

MARKER = "planted-marker"
OUTSIDE = "This file is outside the project, so its current content is not shown."
SECRET = "may hold secrets, so its current content is not shown."


@asynccontextmanager
async def bot_at(setup: BotSetup, folder: Path) -> AsyncIterator[int]:
    """A bot in its own process, with markers in its environment and in the folder that it was started in."""
    config = write_config(setup.root / "setup.toml", setup)
    secrets = {"DISCORD_TOKEN": setup.discord.token, "PLANTED": f"{MARKER}-environment"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "--config", str(config)),
        cwd=folder,
        env={**os.environ, **setup.environment, **secrets, "PYTHONPATH": str(ROOT)},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    async with asyncio.timeout(20):
        while b"Ready." not in await process.stderr.readline():
            assert process.returncode is None
    draining = asyncio.create_task(process.stderr.read())
    try:
        yield process.pid
    finally:
        process.terminate()
        async with asyncio.timeout(20):
            await process.wait()
            await draining


def told(setup: BotSetup, thread: DiscordChannel) -> str:
    """Return everything that Discord was ever sent, including attached files."""
    bodies = json.dumps([(each.body, each.files) for each in setup.discord.requests], default=str)
    files = b"".join(file.content for message in setup.ada.messages(thread) for file in message.attachments)
    return bodies + files.decode(errors="replace")


async def test_no_path_makes_the_bot_show_what_claude_may_not_read(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, {})
    started_in = tmp_path / "bots-own"
    started_in.mkdir()
    for folder in (started_in, tmp_path, setup.project):
        (folder / ".env").write_text(f"KEY={MARKER}\n")
    (tmp_path / "outside.txt").write_text(f"{MARKER}\n")
    (setup.project / "proc").symlink_to("/proc/self")
    (setup.project / "out").symlink_to(tmp_path)
    (setup.project / "innocent.txt").symlink_to(".env")
    (setup.project / "indirect").symlink_to("out/outside.txt")
    (setup.project / "loop").symlink_to("loop")
    os.mkfifo(setup.project / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(setup.project / "socket"))
    async with bot_at(setup, started_in) as bot:
        paths = [
            *("/proc/self/cwd/.env", "/proc/self/environ", f"/proc/{bot}/environ", f"/proc/self/task/{bot}/environ"),
            *(f"/proc/self/task/{bot}/root{tmp_path}/outside.txt", f"/proc/{bot}/root{tmp_path}/outside.txt"),
            *(f"/proc/self/task/../../{bot}/cwd/.env", "/proc/thread-self/cwd/.env", "/dev/fd/3", "/dev/stdin"),
            *("proc/cwd/.env", "proc/environ", "proc/root/etc/passwd", "out/outside.txt", "indirect", "innocent.txt"),
            *(f"proc/root/{tmp_path}/outside.txt", "../outside.txt", f"{tmp_path}/outside.txt", "~/.bashrc", ".env"),
            *("/dev/zero", "/dev/tty", "pipe", "socket", "loop", "loop/x", "pipe/x", "x" * 5000, "//proc/self/environ"),
        ]
        scripts = {
            f"path {number:03}": script([Use("Write", {"file_path": path, "content": "new\n"})], [Say("So.")])
            for number, path in enumerate(paths)
        }
        save(Path(setup.environment["CLAUDE_SCRIPT"]), scripts)
        thread = await setup.say("path 000")
        for number, path in enumerate(paths):
            if number:
                await setup.ada.write(thread, f"path {number:03}")
            card = await setup.card(thread, "a file?")
            assert "Create" not in shown(card) or path == "pipe/x", path
            if path in (".env", "innocent.txt"):
                assert SECRET in shown(card)
            elif path.startswith(("/", "..", "~", "out", "proc", "indirect")):
                assert OUTSIDE in shown(card), path
            await setup.ada.click(card, "Deny")
            await setup.done(thread, number + 1)
        assert MARKER not in told(setup, thread)
        assert setup.discord.token not in told(setup, thread)


async def test_the_real_claude_asks_with_such_a_path_and_nothing_is_shown(
    discord_server: DiscordServer, tmp_path: Path, real_claude: Path
) -> None:
    (tmp_path / "home").mkdir()
    started_in = tmp_path / "bots-own"
    started_in.mkdir()
    (started_in / ".env").write_text(f"KEY={MARKER}\n")
    async with scripted_api.serve() as api:
        setup = BotSetup(discord_server, tmp_path, (str(real_claude),), api.environment(tmp_path / "home"))
        (setup.project / "proc").symlink_to("/proc/self")
        for number, path in enumerate(("/proc/self/cwd/.env", "proc/cwd/.env")):
            write = Use("Write", {"file_path": path, "content": "new\n"})
            api.on(f"path {number}", script([write], [Say("So.")]))
        async with bot_at(setup, started_in):
            for number in range(2):
                thread = await setup.say(f"path {number}")
                card = await setup.card(thread, "Write a file?")
                assert OUTSIDE in shown(card)
                assert MARKER not in told(setup, thread)
                await setup.ada.click(card, "Deny")
                await setup.done(thread)


async def test_an_edit_of_a_file_outside_shows_what_the_request_says_and_no_more(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    edit = {"file_path": "../outside.txt", "old_string": "a", "new_string": "b", "replace_all": True}
    setup = scripted(discord_server, tmp_path, {"edit": script([Use("Edit", edit)], [Say("So.")])})
    (tmp_path / "outside.txt").write_text(f"a a a {MARKER}\n")
    async with setup.bot():
        thread = await setup.say("edit")
        card = await setup.card(thread, "Change a file?")
        assert "-a\n+b" in shown(card)
        assert OUTSIDE in shown(card)
        assert " places." not in shown(card)
        assert MARKER not in told(setup, thread)


async def test_a_decoy_path_does_not_stand_in_for_the_one_that_is_changed(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    edit = {"file_path": "decoy.ipynb", "notebook_path": "real.ipynb", "cell_id": "a", "new_source": "2"}
    setup = scripted(discord_server, tmp_path, {"edit": script([Use("NotebookEdit", edit)], [Say("So.")])})
    for name, source in (("decoy", "of the decoy"), ("real", "of the real one")):
        cell = {"id": "a", "cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        (setup.project / f"{name}.ipynb").write_text(json.dumps({"cells": [cell]}))
    async with setup.bot():
        card = await setup.card(await setup.say("edit"), "Change a notebook?")
        assert "-of the real one" in shown(card)
        assert "of the decoy" not in shown(card)


async def test_what_a_link_hides_behind_another_outside_is_not_told(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    write = Use("Write", {"file_path": "first", "content": "x\n"})
    setup = scripted(discord_server, tmp_path, {"write": script([write], [Say("So.")])})
    (tmp_path / "second").symlink_to(tmp_path / MARKER)
    (setup.project / "first").symlink_to("../second")
    async with setup.bot():
        thread = await setup.say("write")
        card = await setup.card(thread, "Write a file?")
        assert f"leads to `{tmp_path}/second`" in shown(card)
        assert MARKER not in told(setup, thread)


async def test_what_people_attached_and_the_further_folders_are_shown(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "file.txt").write_text("old\n")
    write = Use("Write", {"file_path": str(more / "file.txt"), "content": "new\n"})
    setup = scripted(discord_server, tmp_path, {"write": script([write], [Say("So.")])})
    setup.project_settings["extra_folders"] = [str(more)]
    async with setup.bot():
        card = await setup.card(await setup.say("write"), "Overwrite a file?")
        assert "-old\n+new" in shown(card)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "folder").mkdir(parents=True)
    (project / "folder" / "file.txt").write_text("inside")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file.txt").write_text(MARKER)
    return project


@contextmanager
def swapped(one: Path, other: Path) -> Iterator[None]:
    """Swap two paths again and again inside the block."""
    spare, ended = one.with_name("spare"), threading.Event()

    def swap() -> None:
        while not ended.is_set():
            one.rename(spare)
            other.rename(one)
            one.rename(other)
            spare.rename(one)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_that_takes_a_place_between_two_looks_leads_nowhere(project: Path, what: str) -> None:
    place, target = project / "folder", project.parent / "other"
    if what == "file":
        place, target = place / "file.txt", target / "file.txt"
    link = project / "link"
    link.symlink_to(target)
    shown, sent = set(), set()
    with swapped(place, link):
        end = time.monotonic() + 2
        while time.monotonic() < end:
            shown.add(look_at("folder/file.txt", ReadScope(project)).text)
            found = sendable("folder/file.txt", project, {})
            sent.add(None if isinstance(found, str) else found.content)
    assert shown == {"inside", None}, "it was looked at in both states"
    assert sent == {b"inside", None}


async def test_a_path_that_is_swapped_while_claude_asks_leads_nowhere(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    uses = [[Use("Write", {"file_path": "folder/file.txt", "content": f"{number}\n"})] for number in range(8)]
    setup = scripted(discord_server, tmp_path, {"write": script(*uses, [Say("So.")])})
    for folder, text in ((setup.project / "folder", "inside\n"), (tmp_path / "other", f"{MARKER}\n")):
        folder.mkdir()
        (folder / "file.txt").write_text(text)
    (setup.project / "link").symlink_to(tmp_path / "other")
    async with setup.bot():
        with swapped(setup.project / "folder", setup.project / "link"):
            thread = await setup.say("write")
            for number in range(8):
                card = await setup.card(thread, f"{number}\n")
                await setup.ada.click(card, "Deny")
        await setup.done(thread)
        assert MARKER not in told(setup, thread)


def test_a_way_back_leads_through_the_folders_that_it_came_through(project: Path) -> None:
    (project / "a" / "b").mkdir(parents=True)
    (project / "a" / "back").symlink_to("b/../../folder/./file.txt")
    (project / "a" / "out").symlink_to("b/../../../other/file.txt")
    (project / "a" / "round").symlink_to(f"../../{project.name}/folder/file.txt")
    (project / "a" / "missing").symlink_to("nothing/../../../other/file.txt")
    for name in ("back", "round"):
        assert look_at(f"a/{name}", ReadScope(project)).text == "inside"
    outside = str(project.parent / "other" / "file.txt")
    for name in ("out", "missing"):
        assert look_at(f"a/{name}", ReadScope(project)) == FileSnapshot(leads_to=outside, hidden="outside")


def test_a_name_that_is_no_text_is_named_all_the_same(project: Path) -> None:
    (project / "odd").symlink_to(os.fsdecode(b"/srv/\xff"))
    assert look_at("odd", ReadScope(project)) == FileSnapshot(leads_to="/srv/\ufffd", hidden="outside")


def test_a_very_deep_folder_takes_one_descriptor_at_a_time(project: Path) -> None:
    path = "d/" * 400 + "file.txt"
    (project / path).parent.mkdir(parents=True)
    (project / path).write_text("deep")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
    try:
        assert look_at(path, ReadScope(project)).text == "deep"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_pipe_a_socket_or_a_device_is_not_opened(project: Path) -> None:
    os.mkfifo(project / "pipe")
    assert look_at("pipe", ReadScope(project)) == FileSnapshot(exists=True)
    (project / "null").symlink_to("/dev/null")
    assert look_at("null", ReadScope(project)) == FileSnapshot(leads_to="/dev/null", hidden="outside")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_special_file_system_is_not_read_where_it_is_mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    # Mounting needs privileges that a test lacks: instead, the folder that Claude works in is /proc's parent.
    everything = ReadScope(Path("/"))
    for path in ("/proc/self/environ", "/proc/version", "/sys/kernel/uevent_seqnum"):
        if Path(path).exists():
            assert look_at(path, everything) == FileSnapshot(hidden="unknown"), path
            assert isinstance(sendable(path, Path("/"), {}), str)


def test_a_hard_link_is_the_file_itself_for_claude_as_well(project: Path) -> None:
    (project / "hard.txt").hardlink_to(project.parent / "other" / "file.txt")
    assert look_at("hard.txt", ReadScope(project)).text == MARKER


def test_of_a_file_outside_not_even_its_being_there_is_told(project: Path) -> None:
    for path in ("../other/file.txt", "../other/missing.txt", "/etc/passwd", "/etc/missing", "~/x", "~root/x"):
        assert look_at(path, ReadScope(project)) == FileSnapshot(hidden="outside"), path
    answers = {sendable(path, project, {}) for path in ("../other/file.txt", "../other/missing.txt")}
    assert all("is outside the project" in str(answer) for answer in answers)


def test_a_card_for_reading_does_not_read(project: Path) -> None:
    seen = look_at("folder/file.txt", ReadScope(project, content=False))
    assert seen == FileSnapshot(exists=True)


@pytest.mark.parametrize("version", ["real_claude", "old_claude"])
async def test_the_real_claude_asks_about_no_file_that_its_settings_deny(
    discord_server: DiscordServer, tmp_path: Path, version: str, request: pytest.FixtureRequest
) -> None:
    """This is why the bot does not read `permissions.deny` itself."""
    (tmp_path / "home").mkdir()
    denied = [
        [Use(tool, {"file_path": path, **more})]
        for path in ("my.pw", "link.txt")
        for tool, more in (("Write", {"content": "x"}), ("Edit", {"old_string": MARKER, "new_string": "y"}))
    ]
    async with scripted_api.serve() as api:
        api.on("try it", script(*denied, [Say("It did not let me.")]))
        command = (str(request.getfixturevalue(version)),)
        setup = BotSetup(discord_server, tmp_path, command, api.environment(tmp_path / "home"))
        (setup.project / ".claude").mkdir()
        (setup.project / ".claude" / "settings.json").write_text(json.dumps({"permissions": {"deny": ["Read(*.pw)"]}}))
        (setup.project / "my.pw").write_text(f"{MARKER}\n")
        (setup.project / "link.txt").symlink_to("my.pw")
        async with setup.bot():
            thread = await setup.say("try it")
            await setup.done(thread)
            assert "It did not let me." in setup.text(thread)
            assert not any("Allow" in buttons(message) for message in setup.ada.messages(thread))
