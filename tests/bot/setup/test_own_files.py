"""Tests that the bot's own files must be where Claude, which could rewrite them unasked, does not work."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import config
from bot.app import serving
from bot.config import confirmed_configs
from bot.setup import service
from bot.setup.own_files import find_own_exposure
from sandbox.scripts.script import Say, script
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.command_line import typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import ROOT, outcome, scripted, write_config


def found(root: Path, file: Path | None = None, *, project: dict[str, Any] | None = None, **settings: Any) -> str:
    """Return what the bot would print when it starts."""
    raw = {
        "people": {"users": [1]},
        "projects": {"demo": {"folder": "work", "channels": [2]} | (project or {})},
        "state": "state",
    }
    checked = config.check(raw | settings, base=root, source="the test's settings")
    return str(find_own_exposure(checked, file or root / "claude-discord.toml") or "")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("work/deep", "other/deep", "state/runs", "state/worktrees"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_what_lies_beside_the_project_is_well(root: Path) -> None:
    assert found(root) == ""
    assert found(root, project={"extra_folders": ["other"], "threads": {"folder": "other/deep"}}, roots=["other"]) == ""
    assert found(root, project={"extra_args": ["--verbose", "--add-dir", "../other"]}) == ""
    assert found(root, project={"folder": "state/worktrees"}) == "", "the bot makes threads' folders there"


OFFERED: list[dict[str, Any]] = [
    {"project": {"folder": "."}},
    {"project": {"extra_folders": ["."]}},
    {"project": {"threads": {"folder": "."}}},
    {"project": {"threads": {"extra_folders": ["work", "."]}}},
    {"project": {"extra_args": ["--add-dir", "deep", ".."]}},
    {"project": {"extra_args": ["--add-dir=.."]}},
    {"roots": ["."]},
]


@pytest.mark.parametrize("settings", OFFERED, ids=str)
def test_every_way_to_offer_a_folder_is_looked_at(root: Path, settings: dict[str, Any]) -> None:
    said = found(root, **settings)
    assert said.startswith(f"The configuration {root / 'claude-discord.toml'} is in the ")
    assert f"Move it to {config.users_file().parent}, or choose another " in said
    assert len(said.splitlines()) == 1


def test_links_are_followed_on_both_sides_and_each_of_them_counts(root: Path) -> None:
    (root / "to-work").symlink_to("work")
    (root / "work" / "inside").symlink_to(root / "other")
    (root / "chain").symlink_to(root / "work" / "inside")
    for file in ("to-work/claude-discord.toml", "chain/claude-discord.toml", "work/../work/claude-discord.toml"):
        assert "configuration" in found(root, root / file), file
    real = root / "elsewhere.toml"
    real.write_text("")
    (root / "work" / "claude-discord.toml").symlink_to(real)
    assert "configuration" in found(root, root / "work" / "claude-discord.toml"), "the link can be replaced"
    (root / "loop").symlink_to("loop")
    assert found(root, root / "loop") == ""


def test_a_folder_is_known_by_what_it_is_and_not_by_its_name(root: Path) -> None:
    assert found(root, Path(f"/proc/self/cwd/{os.path.relpath(root / 'work')}/claude-discord.toml")) != ""


MOUNT = """
import sys
from pathlib import Path
from tests.bot.setup.test_own_files import found
root = Path(sys.argv[1])
print(found(root, root / "conf" / "claude-discord.toml"))
"""


def test_a_folder_that_is_mounted_inside_a_project_is_looked_at_too(root: Path) -> None:
    (root / "conf").mkdir()
    (root / "work" / "a b").mkdir()
    mounted = 'mount --bind "$1/conf" "$1/work/a b" || exit 77; exec "$2" -c "$3" "$1"'
    try:
        done = subprocess.run(
            ["unshare", "-rm", "sh", "-c", mounted, "sh", root, sys.executable, MOUNT],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("unshare is not installed")
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("nothing can be mounted here")
    assert f"The configuration {root / 'conf' / 'claude-discord.toml'} is in the folder of project demo" in done.stdout
    assert str(root / "work" / "a b") in done.stdout


def test_the_state_is_no_place_to_work_in_and_does_not_lie_in_one(root: Path) -> None:
    assert "state folder" in found(root, state="work/state")
    assert "belongs to the state folder" in found(root, project={"folder": "state/runs"})
    assert "state folder" in found(root, project={"folder": "state"})


def test_the_program_itself_and_what_it_runs_with(root: Path) -> None:
    for folder in (ROOT, ROOT / "bot", ROOT / "bot" / "claude", ROOT / "permission_mcp", ROOT / "shared", sys.prefix):
        assert "installation" in found(root, project={"folder": str(folder)}), folder
    unit = service.file_path("launchd" if sys.platform == "darwin" else "systemd")
    unit.parent.mkdir(parents=True, exist_ok=True)
    assert "service" in found(root, project={"folder": str(unit.parent)})
    confirmed_configs.folder().mkdir(parents=True, exist_ok=True)
    assert "list of confirmed configurations" in found(root, project={"folder": str(confirmed_configs.folder())})


def test_the_programs_that_the_configuration_has_run(root: Path) -> None:
    program = root / "work" / "claude"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for command in ([str(program)], ["env", str(program)], ["./claude"]):
        assert "program" in found(root, claude={"command": command}), command
    assert "transcriber" in found(root, transcriber=[str(program)])


def test_where_the_way_out_would_lead_into_the_same_folder_it_is_not_offered(root: Path) -> None:
    home = config.users_file().parent
    home.mkdir(parents=True, exist_ok=True)
    said = found(root, home / "claude-discord.toml", project={"folder": str(home.parent)})
    assert said.endswith("where Claude could rewrite it. Choose another folder.")


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    (tmp_path / "code" / "site").mkdir(parents=True)
    return scripted(discord_server, tmp_path, {"hello": script([Say("Hello, you.")])})


async def test_a_bot_whose_configuration_claude_could_rewrite_does_not_start(setup: BotSetup) -> None:
    file = write_config(setup.project / "claude-discord.toml", setup)
    for words in ((), ("--check",)):
        status, errors = await outcome(
            *("--config", str(file), *words), cwd=setup.root, DISCORD_TOKEN=setup.discord.token
        )
        assert (status, len(errors.splitlines())) == (2, 1), errors
        assert errors.startswith(f"The configuration {file} is in the folder of project demo, {setup.project}, where")
    assert not setup.state.exists()


async def test_the_sandbox_does_not_work_on_the_program_that_it_is(tmp_path: Path) -> None:
    answer = await typed("sandbox", "--scripted", "--no-open", str(ROOT), cwd=tmp_path)
    assert answer.status == 2
    assert answer.errors.startswith(f"The installation {ROOT / 'bot'} is in the folder of project project, {ROOT}")


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.mark.parametrize("options", [(), ("--folder", str(ROOT))])
async def test_init_writes_nothing_where_claude_could_rewrite_it(
    discord_server: DiscordServer, tmp_path: Path, options: tuple[str, ...]
) -> None:
    places = {"HOME": tmp_path, "XDG_CONFIG_HOME": tmp_path / "config", "XDG_STATE_HOME": tmp_path / "state"}
    answer = await typed(
        *("init", "--token-stdin", "--no-service", "--user", "1", "--channel", "2", *options),
        *(("--config", str(tmp_path / "claude-discord.toml")) if not options else ()),
        cwd=tmp_path,
        stdin=discord_server.discord.token,
        CLAUDE_DISCORD_API=discord_server.discord.rest_url,
        **{name: str(path) for name, path in places.items()},
    )
    assert answer.status == 2
    assert "where Claude could rewrite it. Choose another folder with --folder." in answer.errors
    assert files_in(tmp_path) == []


def moved(file: Path, to: Path) -> None:
    """Move the configuration's folder while the bot runs, and put a link in its place."""
    file.parent.rename(to / "moved")
    file.parent.symlink_to(to / "moved")


async def test_what_comes_to_lie_there_later_is_refused_when_it_matters(setup: BotSetup) -> None:
    setup.settings |= {"roots": ["code"]}
    file = setup.root / "conf" / "claude-discord.toml"
    file.parent.mkdir()
    write_config(file, setup)
    file.write_text(f'roots = ["{setup.root / "code"}"]\n{file.read_text()}')
    second = setup.discord.world.add_channel(setup.discord_server.guild, "second")
    async with serving(replace(setup.start(), file=file)) as running:
        site = setup.root / "code" / "site"
        moved(file, site)
        told = await setup.ada.command(second, "project add", folder="site")
        assert f"The configuration {file} is in the folder, {site}, where Claude could rewrite it." in told.text
        told = await setup.ada.command(setup.channel, "settings", setting="folder", value=str(site))
        assert "where Claude could rewrite it" in told.text
        assert set(running.projects.settings.projects) == {"demo"}
        file.parent.unlink()
        (site / "moved").rename(setup.project / "moved")
        file.parent.symlink_to(setup.project / "moved")
        thread = await setup.say("hello")
        await setup.ada.sees(thread, "is in the folder of project demo", within=20)
        assert "Hello, you." not in setup.text(thread), "Claude is not even started"
