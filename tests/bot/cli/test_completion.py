"""Tests shell completion: which words can come next."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from bot.cli.complete import candidates
from bot.config import confirmed_configs
from tests.fixtures.command_line import BOUND, environment, typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted, write_config


def words(*before: str, last: str = "") -> list[str]:
    return sorted(word for word, _ in candidates(before, last))


def test_verbs_options_and_choices_are_completed() -> None:
    assert words(last="re") == ["reload", "restart"]
    assert "complete" not in words()
    assert words("say", last="--w") == ["--wait"]
    assert words("say", "--wait", last="--w") == []
    assert words("completion") == ["bash", "fish", "zsh"]
    assert words("service", last="i") == ["install"]


@pytest.mark.parametrize(("typed_so_far", "completed"), [("d", b"demo\n"), ("my", b"my\\ site\n"), ("x", b"\n")])
async def test_bash_completes_a_project(
    discord_server: DiscordServer, tmp_path: Path, typed_so_far: str, completed: bytes
) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    path = write_config(tmp_path / "claude-discord.toml", scripted(discord_server, tmp_path, {}))
    path.write_text(path.read_text() + '\n[projects."my site"]\n')
    confirmed_configs.use(path)
    script = (await typed("completion", "bash", cwd=tmp_path)).out
    command = f'claude-discord() {{ {sys.executable} -m bot "$@"; }}\n'
    asked = f'COMP_WORDS=(claude-discord say {typed_so_far}); COMP_CWORD=2; _claude_discord; echo "${{COMPREPLY[@]}}"'
    pipe = asyncio.subprocess.PIPE
    shell = await asyncio.create_subprocess_exec(
        *(bash, "--norc", "-c", command + script + asked), cwd=tmp_path, env=environment({}), stdout=pipe, stderr=pipe
    )
    async with asyncio.timeout(BOUND):
        assert await shell.communicate() == (completed, b"")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_each_shell_has_a_script_that_says_where_it_goes(shell: str, tmp_path: Path) -> None:
    answer = await typed("completion", shell, cwd=tmp_path)
    assert answer.status == 0
    assert answer.out.startswith("# In ~/.")
    assert "claude-discord complete --" in answer.out


async def test_a_reader_who_has_had_enough_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as `head` does
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "completion", "bash"),
        cwd=tmp_path,
        env=environment({}),
        stdout=writing,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(writing)
    async with asyncio.timeout(BOUND):
        _, errors = await process.communicate()
    assert (process.returncode, errors) == (1, b"")
