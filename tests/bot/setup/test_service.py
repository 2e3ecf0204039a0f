"""Tests that systemd and launchd accept their service files, even with strange paths."""

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.setup import service
from tests.fixtures.command_line import typed

STRANGE = 'a b%c$d"e\\f'


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    folder = tmp_path / STRANGE
    folder.mkdir()
    unit = service.unit(
        "systemd", folder / "claude-discord.toml", {"PATH": f"/usr/bin:{folder}", "HOME": str(tmp_path)}
    )
    file = tmp_path / unit.file.name
    file.write_text(unit.text)
    checked = subprocess.run(
        [analyze, "verify", "--user", str(file)],
        capture_output=True,
        text=True,
        check=False,
        env={"XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert (checked.returncode, checked.stderr, checked.stdout) == (0, "", "")


def test_the_unit_stops_the_bot_alone_and_keeps_a_wrong_set_up_from_starting_again(tmp_path: Path) -> None:
    lines = service.unit("systemd", tmp_path / "claude-discord.toml").text.splitlines()
    assert {"KillMode=process", "RestartPreventExitStatus=2", "NoNewPrivileges=yes"} <= set(lines)


def test_launchd_gets_a_property_list(tmp_path: Path) -> None:
    path = tmp_path / STRANGE / "claude-discord.toml"
    unit = service.unit("launchd", path, {"PATH": "/usr/bin", "HOME": str(tmp_path)})
    assert unit.file.is_relative_to(tmp_path / "Library" / "LaunchAgents")
    fields = plistlib.loads(unit.text.encode())
    assert fields["ProgramArguments"][-3:] == ["run", "--config", str(path)]
    assert fields["EnvironmentVariables"]["PATH"] == "/usr/bin"


def test_a_unit_that_says_something_else_is_not_replaced_without_a_yes(tmp_path: Path) -> None:
    unit = service.unit("systemd", tmp_path / "claude-discord.toml", {"HOME": str(tmp_path)})
    unit.file.parent.mkdir(parents=True)
    unit.file.write_text("mine\n")
    with pytest.raises(ConfigError, match="Pass --yes to replace it"):
        service.install(unit, replace=False)
    assert unit.file.read_text() == "mine\n"


async def test_it_is_shown_without_being_installed(tmp_path: Path) -> None:
    answer = await typed("service", "--kind", "systemd", cwd=tmp_path, HOME=str(tmp_path))
    assert answer.status == 0
    assert "[Service]" in answer.out
    assert not (tmp_path / ".config").exists()
