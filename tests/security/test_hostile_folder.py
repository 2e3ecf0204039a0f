"""Tests that a command typed in someone else's folder runs nothing there and sends nothing to it."""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.config import FILE_NAME, confirmed_configs
from tests.bot.setup.test_mistakes_at_start import TOKEN
from tests.fixtures.command_line import BOUND, Typed, at_a_terminal, unnamed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted, write_config

VERBS: list[tuple[str, ...]] = [
    (),
    ("run",),
    ("run", "--check"),
    ("doctor",),
    ("say", "demo", "hello"),
    ("sessions",),
    ("stop", "demo"),
    ("reload", "--yes"),
    ("restart",),
    ("audit",),
    ("service",),
]
LOOKING: list[tuple[str, ...]] = [
    ("complete", "--", "say", ""),
    ("complete", "--", "stop", ""),
    ("completion", "bash"),
    ("--help",),
]


@dataclass
class Trap:
    """A folder that someone else has filled."""

    folder: Path
    port: int
    home: Path
    connections: list[object] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / FILE_NAME

    @property
    def ran(self) -> Path:
        return self.home / "ran"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "DISCORD_TOKEN": TOKEN,
        }

    def lay(self) -> None:
        for name in ("work", "state"):
            (self.folder / name).mkdir(parents=True)
        program = self.folder / "claude"
        program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> '{self.ran}'\necho '2.1.326 (Claude Code)'\n")
        program.chmod(0o755)
        address = f"http://127.0.0.1:{self.port}"
        (self.folder / "state" / "address").write_text(address)
        (self.folder / "state" / "admin").write_text("token")
        self.file.write_text(
            f"state = 'state'\ndiscord_api = '{address}/api/v10'\npeople = {{ users = [1] }}\n"
            f"transcriber = ['{program}']\nclaude = {{ command = ['{program}'] }}\n"
            "[projects.hostile]\nfolder = 'work'\nchannels = [2]\n"
        )

    async def typed(self, *words: str) -> Typed:
        process = await unnamed(*words, cwd=self.folder, **self.environment)
        async with asyncio.timeout(BOUND):
            out, errors = await process.communicate()
        return Typed(process.returncode, out.decode(), errors.decode())

    def untouched(self) -> bool:
        return not self.connections and not self.ran.exists()


@asynccontextmanager
async def trapped(root: Path) -> AsyncIterator[Trap]:
    connections: list[object] = []

    async def heard(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer.get_extra_info("peername"))
        writer.close()

    async with await asyncio.start_server(heard, "127.0.0.1", 0) as server:
        (root / "home").mkdir()
        trap = Trap(root / "clone", server.sockets[0].getsockname()[1], root / "home", connections)
        trap.lay()
        yield trap


@pytest.fixture
async def trap(tmp_path: Path) -> AsyncIterator[Trap]:
    async with trapped(tmp_path) as trap:
        yield trap


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=Eve", "-c", "user.email=eve@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
async def test_what_was_never_used_is_not_used_where_nobody_can_be_asked(trap: Trap, words: tuple[str, ...]) -> None:
    answer = await trap.typed(*words)
    assert (answer.status, answer.out, len(answer.errors.splitlines())) == (2, "", 1), answer
    assert f"{trap.file} has not been used before" in answer.errors
    assert f"pass --config {trap.file}" in answer.errors
    assert trap.untouched()


@pytest.mark.parametrize("words", LOOKING, ids=" ".join)
async def test_looking_at_what_can_be_typed_touches_nothing(trap: Trap, words: tuple[str, ...]) -> None:
    answer = await trap.typed(*words)
    assert (answer.status, answer.errors) == (0, "")
    assert "hostile" not in answer.out
    assert trap.untouched()


async def test_init_goes_to_the_users_own_folder_and_asks_the_real_discord(
    trap: Trap, discord_server: DiscordServer
) -> None:
    process = await unnamed(
        *("init", "--token-stdin", "--no-service", "--user", "1", "--channel", "2", "--folder", "work", "--yes"),
        cwd=trap.folder,
        **trap.environment,
        CLAUDE_DISCORD_API=discord_server.discord.rest_url,
        PATH=f"{trap.home}{os.pathsep}{os.environ['PATH']}",
    )
    async with asyncio.timeout(BOUND):
        out, errors = await process.communicate(discord_server.discord.token.encode())
    written = trap.home / "config" / "claude-discord" / FILE_NAME
    assert f"Written: {written}" in out.decode(), errors
    assert f"claude-discord run --config {written}" in out.decode(), "what lies here would be in the way"
    assert "hostile" in trap.file.read_text()
    assert not (trap.folder / ".env").exists()
    assert trap.untouched()


async def test_what_came_with_a_clone_is_refused_even_when_it_was_used_before(trap: Trap) -> None:
    confirmed_by(trap)
    assert "hostile" in (await trap.typed("complete", "--", "say", "")).out
    git(trap.folder, "init")
    git(trap.folder, "add", "claude")
    assert "hostile" in (await trap.typed("complete", "--", "say", "")).out, "an ignored file of one's own is fine"
    git(trap.folder, "add", FILE_NAME)
    git(trap.folder, "commit", "-m", "Add a configuration")
    for words in VERBS:
        answer = await trap.typed(*words)
        assert answer.status == 2
        assert "it came with a clone, so someone else may have written it" in answer.errors
    assert "hostile" not in (await trap.typed("complete", "--", "say", "")).out
    copy = trap.folder.parent / "copy"
    git(trap.folder.parent, "clone", str(trap.folder), str(copy))
    git(copy, "update-index", "--index-version", "4")
    answer = await Trap(copy, trap.port, trap.home).typed("doctor")
    assert "it came with a clone" in answer.errors
    assert trap.untouched()


async def test_a_folder_below_the_top_of_a_clone_is_the_clones_too(trap: Trap) -> None:
    git(trap.folder.parent, "init")
    git(trap.folder.parent, "add", ".")
    assert "it came with a clone" in (await trap.typed("doctor")).errors
    assert trap.untouched()


def confirmed_by(trap: Trap) -> None:
    """Confirm the file as the owner of this home."""
    before = dict(os.environ)
    os.environ |= trap.environment
    try:
        confirmed_configs.use(trap.file)
    finally:
        os.environ.clear()
        os.environ |= before


@pytest.mark.parametrize("which", ["folder", FILE_NAME, ".env"])
async def test_what_others_can_write_is_refused_even_when_it_was_used_before(trap: Trap, which: str) -> None:
    confirmed_by(trap)
    path = trap.folder if which == "folder" else trap.folder / which
    if which == ".env":
        path.write_text("DISCORD_TOKEN=theirs\n")
    path.chmod(0o777)
    for words in (("doctor",), ("run",), ("sessions",)):
        answer = await trap.typed(*words)
        assert (answer.status, len(answer.errors.splitlines())) == (2, 1)
        assert "others can write to it or its folder. Run: chmod go-w " in answer.errors
    assert trap.untouched()


async def test_what_belongs_to_somebody_else_is_refused_even_when_it_was_used_before(trap: Trap) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    confirmed_by(trap)
    for path in (trap.file, trap.folder):
        os.chown(path, 12345, 12345)
        assert "belongs to someone else" in (await trap.typed("doctor")).errors
        os.chown(path, 0, 0)
    assert trap.untouched()


async def test_a_link_to_the_file_of_others_is_theirs(trap: Trap) -> None:
    confirmed_by(trap)
    theirs = trap.folder.parent / "theirs"
    theirs.mkdir()
    theirs.chmod(0o777)
    trap.file.rename(theirs / "claude.toml")
    trap.file.symlink_to(theirs / "claude.toml")
    assert "others can write to it" in (await trap.typed("doctor")).errors
    assert trap.untouched()


async def test_at_a_terminal_it_is_asked_once_with_what_it_would_do(trap: Trap) -> None:
    async with at_a_terminal(trap.folder, trap.environment, "doctor") as terminal:
        asked = await terminal.shows(
            r"(?s)is a configuration that has not been used before.*Use it from now on\? \[y/N\] "
        )
        assert f"It runs ['{trap.folder}/claude']" in asked[0].replace("\r\n", "")
        assert f"talks to http://127.0.0.1:{trap.port}/api/v10" in asked[0]
        await terminal.answers("", "n\n")
        assert await terminal.ends() == 2
    assert trap.untouched()
    async with at_a_terminal(trap.folder, trap.environment, "doctor") as terminal:
        await terminal.answers(r"\[y/N\] ", "y\n")
        await terminal.shows("found")
    assert not trap.untouched(), "then it is the owner's word"
    assert "hostile" in (await trap.typed("complete", "--", "say", "")).out
    shutil.move(trap.folder, trap.folder.with_name("before"))
    trap.lay()
    assert "has not been used before" in (await trap.typed("doctor")).errors, "it is another folder of the same name"


async def test_what_is_put_in_the_place_of_a_deleted_folder_is_not_the_owners(trap: Trap) -> None:
    """Linux gives the next folder the inode number of the one that was just deleted."""
    hostile = trap.file.read_text()
    trap.file.write_text("people = { users = [1] }\n[projects.hostile]\nfolder = 'work'\nchannels = [2]\n")
    confirmed_by(trap)
    assert "hostile" in (await trap.typed("complete", "--", "say", "")).out
    trap.file.write_text(hostile)  # by its inode number and everything else visible, the folder is the same
    for words in VERBS:
        assert "has not been used before" in (await trap.typed(*words)).errors
    assert "hostile" not in (await trap.typed("complete", "--", "say", "")).out
    assert trap.untouched()
    trap.file.write_text("[people\n")
    assert "needs correcting" in (await trap.typed("run", "--check")).errors, "a slip of the owner's is told as one"


async def test_the_name_of_a_program_steers_no_terminal(trap: Trap) -> None:
    trap.file.write_text(trap.file.read_text().replace("['", "['\\u001b[2J\\u202e", 1))
    trap.file.write_text(trap.file.read_text().replace("= ['", '= ["').replace("']", '"]'))
    async with at_a_terminal(trap.folder, trap.environment, "doctor") as terminal:
        asked = await terminal.shows(r"(?s)is a configuration.*\[y/N\] ")
        assert "\x1b" not in asked[0]
        assert "\u202e" not in asked[0]
        await terminal.answers("", "n\n")
        assert await terminal.ends() == 2


async def test_the_owners_own_place_and_the_owners_word_need_no_question(
    discord_server: DiscordServer, tmp_path: Path, trap: Trap
) -> None:
    setup = scripted(discord_server, tmp_path, {})
    own = trap.home / "config" / "claude-discord"
    own.mkdir(parents=True)
    own.chmod(0o700)
    write_config(own / FILE_NAME, setup)
    (tmp_path / "empty").mkdir()
    for folder, words in ((own, ()), (tmp_path / "empty", ()), (trap.folder, ("--config", str(own / FILE_NAME)))):
        answer = await Trap(folder, trap.port, trap.home).typed(*words, "doctor", "--json")
        assert json.loads(answer.out)["findings"][1]["says"] == str(own / FILE_NAME)
    assert trap.untouched()
