"""Tests `doctor` with each thing broken once: each line is ok or says how to fix it."""

import json
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.projects.projects import AddedProject
from bot.setup import discord_checks, machine_checks
from bot.setup.findings import Ok, Problem
from bot.store import FILE_NAME, Store
from sandbox.discord import Permission
from sandbox.discord.state.entities import ChannelType
from tests.fixtures.bot_setup import BotSetup
from tests.fixtures.command_line import running, typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted, write_config

CLAUDE = """\
#!{python}
import sys
match sys.argv[1:]:
    case ["--version"]:
        print("{version} (Claude Code)")
    case ["auth", "status"]:
        sys.exit({login})
"""


@dataclass
class Patient:
    """A working setup, until a test breaks something."""

    setup: BotSetup
    token: str

    @property
    def config(self) -> Path:
        return self.setup.root / "claude-discord.toml"

    @property
    def secret(self) -> Path:
        return self.setup.root / ".env"

    def claude(self, version: str = "2.1.326", login: int = 0) -> Path:
        path = self.setup.root / "claude"
        path.write_text(CLAUDE.format(python=sys.executable, version=version, login=login))
        path.chmod(0o755)
        return path

    def write(self) -> None:
        write_config(self.config, self.setup)
        self.secret.write_text(f"DISCORD_TOKEN={self.token}\n")
        self.secret.chmod(0o600)

    def change(self, old: str, new: str) -> None:
        text = self.config.read_text()
        assert old in text
        self.config.write_text(text.replace(old, new))

    async def examined(self) -> dict[str, dict[str, str]]:
        """Run the doctor; return the fixes that it suggests, by subject."""
        answer = await typed("doctor", "--json", cwd=self.setup.root)
        assert answer.errors == ""
        found = json.loads(answer.out)
        assert answer.status == (0 if found["ok"] else 1)
        assert all(
            set(each) == {"about", "ok", "says"} | (set() if each["ok"] else {"cure"}) for each in found["findings"]
        )
        return {each["about"]: each for each in found["findings"] if not each["ok"]}


@pytest.fixture
def patient(discord_server: DiscordServer, tmp_path: Path) -> Patient:
    setup = scripted(discord_server, tmp_path, {})
    patient = Patient(setup, discord_server.discord.token)
    setup.command = (str(patient.claude()),)
    patient.write()
    return patient


async def test_a_set_up_in_which_all_is_well(patient: Patient) -> None:
    answer = await typed("doctor", cwd=patient.setup.root)
    assert (answer.status, answer.errors) == (0, "")
    lines = answer.out.splitlines()
    assert lines[-1] == "No problems found."
    assert all(line.startswith("✓ ") for line in lines[:-1])
    assert [line.split(":")[0][2:] for line in lines[:-1]] == [
        "python",
        "configuration",
        "claude",
        "claude's version",
        "claude's login",
        "state folder",
        "port",
        "secret file",
        "clock",
        "token",
        "intents",
        "interactions",
        "commands",
        f"channel {patient.setup.channel.id} of demo",
    ]


async def test_with_the_bot_running_its_own_port_is_no_trouble(patient: Patient) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with running(patient.setup, "--port", str(port)):
        patient.change("[people]", f"port = {port}\n[people]")
        answer = await typed("doctor", cwd=patient.setup.root)
        assert answer.status == 0, answer.out
        assert f"port: {port} is used by the running bot" in answer.out
        assert "commands: /" in answer.out


def no_intent(patient: Patient) -> None:
    patient.setup.discord.world.application.flags = 0


def endpoint(patient: Patient) -> None:
    patient.setup.discord.world.application.interactions_endpoint_url = "https://elsewhere.example/clicks"


def wrong_token(patient: Patient) -> None:
    patient.token += "x"
    patient.write()


def no_token(patient: Patient) -> None:
    patient.secret.unlink()


def pasted_wrong(patient: Patient) -> None:
    patient.token = "hunter2"
    patient.write()


def readable_secret(patient: Patient) -> None:
    patient.secret.chmod(0o644)


def no_claude(patient: Patient) -> None:
    (patient.setup.root / "claude").unlink()


def old_claude(patient: Patient) -> None:
    patient.claude(version="2.0.9")


def strange_claude(patient: Patient) -> None:
    patient.claude(version="not a version")


def not_logged_in(patient: Patient) -> None:
    patient.claude(login=1)


def open_state(patient: Patient) -> None:
    patient.setup.state.mkdir(mode=0o755)


def state_is_a_file(patient: Patient) -> None:
    patient.setup.state.write_text("")


def nobody(patient: Patient) -> None:
    patient.change("roles = [", "roles = [] # ")


def no_configuration(patient: Patient) -> None:
    patient.config.unlink()


def unknown_channel(patient: Patient) -> None:
    patient.change(f"channels = [{patient.setup.channel.id}]", "channels = [12345]")


def category(patient: Patient) -> None:
    patient.setup.channel.kind = ChannelType.CATEGORY


def hidden_channel(patient: Patient) -> None:
    patient.setup.channel.denied[patient.setup.discord_server.guild.id] = Permission.VIEW_CHANNEL


def no_threads(patient: Patient) -> None:
    patient.setup.channel.denied[patient.setup.discord_server.guild.id] = Permission.CREATE_PUBLIC_THREADS


def silent_panel(patient: Patient) -> None:
    panel = patient.setup.discord.world.add_channel(patient.setup.discord_server.guild, "panel")
    panel.denied[patient.setup.discord_server.guild.id] = Permission.SEND_MESSAGES | Permission.CREATE_PUBLIC_THREADS
    patient.change("[people]", f"panel = {panel.id}\n[people]")


def no_discord(patient: Patient) -> None:
    patient.change(patient.setup.discord.rest_url, "http://127.0.0.1:9/api/v10")


BROKEN: dict[Callable[[Patient], None], tuple[str, str, str]] = {
    no_intent: ("intents", "can't read messages", "Message Content Intent"),
    endpoint: ("interactions", "https://elsewhere.example/clicks", "clear «Interactions Endpoint URL»"),
    wrong_token: ("token", "Unauthorized (401)", "Reset Token"),
    no_token: ("token", "no token is configured", "claude-discord init"),
    pasted_wrong: ("token", "does not look like", "Reset Token"),
    readable_secret: ("secret file", "others on this machine can read", "chmod 600"),
    no_claude: ("claude", "there is no program", "install Claude Code"),
    old_claude: ("claude's version", "2.0.9 is older than 2.1.197", "claude update"),
    strange_claude: ("claude's version", "printed no version", "install Claude Code again"),
    not_logged_in: ("claude's login", "not logged in", "claude auth login"),
    open_state: ("state folder", "others on this machine can open", "chmod 700"),
    state_is_a_file: ("state folder", "is not a folder", "`state`"),
    nobody: ("configuration", "nobody may talk to Claude", "correct"),
    no_configuration: ("configuration", "There is no ", "claude-discord init"),
    unknown_channel: ("channel 12345 of demo", "no such channel", "https://discord.com/oauth2/authorize?client_id="),
    category: ("channel * of demo", "not a text channel of a server", "use a text channel"),
    hidden_channel: ("channel * of demo", "can't see it", "give the bot access"),
    no_threads: ("channel * of demo", "lacks: Create Public Threads", "give it these"),
    silent_panel: ("panel", "in #panel the bot lacks: Send Messages", "give it these"),
    no_discord: ("discord", "can't be reached", "check the network"),
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
async def test_what_is_broken_is_named_with_its_cure(patient: Patient, broken: Callable[[Patient], None]) -> None:
    broken(patient)
    about, says, cure = BROKEN[broken]
    found = await patient.examined()
    finding = found.pop(about.replace("*", str(patient.setup.channel.id)))
    assert says in finding["says"]
    assert cure in finding["cure"]
    if broken is not no_configuration:  # it also names Discord's address and the state folder
        assert found == {}


async def test_a_port_that_another_program_has(patient: Patient) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        patient.change("[people]", f"port = {taken.getsockname()[1]}\n[people]")
        found = await patient.examined()
    assert set(found) == {"port"}
    assert "choose another `port`" in found["port"]["cure"]


def test_a_state_folder_that_can_not_be_written() -> None:
    assert isinstance(machine_checks.state_folder(Path("/proc")), Problem)


@pytest.mark.parametrize(("version", "well"), [((3, 10), False), ((3, 11), True), ((3, 14), True), ((3, 15), False)])
def test_the_pythons_that_it_runs_with(version: tuple[int, int], *, well: bool) -> None:
    assert isinstance(machine_checks.python(version), Ok) is well


def test_a_clock_that_is_wrong_is_told_in_which_direction() -> None:
    assert discord_checks.clock(1000.0, 1030.0) == Ok("correct")
    ahead, behind = discord_checks.clock(1000.0, 1500.0), discord_checks.clock(1500.0, 1000.0)
    assert isinstance(ahead, Problem)
    assert isinstance(behind, Problem)
    assert "500 s ahead of" in ahead.says
    assert "500 s behind" in behind.says


async def test_the_real_claude_tells_its_version_and_that_nobody_is_logged_in(
    real_claude: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    command = (str(real_claude),)
    assert isinstance(await machine_checks.claude_version(command), Ok)
    assert isinstance(await machine_checks.claude_login(command), Problem)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-anything")
    assert isinstance(await machine_checks.claude_login(command), Ok)


async def test_a_secret_in_the_folder_where_it_is_typed_is_nobodys(patient: Patient) -> None:
    apart = patient.setup.root / "apart"
    apart.mkdir()
    patient.config.rename(apart / "claude-discord.toml")
    answer = await typed("doctor", "--config", str(apart / "claude-discord.toml"), cwd=patient.setup.root)
    assert "✗ token: no token is configured" in answer.out
    assert answer.status == 1


async def test_a_configuration_that_claude_could_rewrite_is_named_with_the_way_out(patient: Patient) -> None:
    patient.change(str(patient.setup.project), str(patient.setup.root))
    found = await patient.examined()
    assert f"is in the folder of project demo, {patient.setup.root}, where Claude" in found["configuration"]["says"]
    assert found["configuration"]["cure"].startswith("Move it to ")


async def test_the_channel_of_a_project_that_was_added_from_discord_is_looked_at_too(patient: Patient) -> None:
    setup = patient.setup
    patient.change("[people]", 'roots = ["project"]\n[people]')
    setup.state.mkdir(mode=0o700)
    with Store.open(setup.state / FILE_NAME) as store:
        store.add_project(AddedProject("site", setup.project, frozenset({12345}), setup.ada.user.id, 0.0))
    found = await patient.examined()
    assert found["channel 12345 of site"]["says"] == "there is no such channel"
    async with running(setup):  # writes its own configuration
        patient.change("[people]", 'roots = ["project"]\n[people]')
        found = await patient.examined()
        assert "needs an owner's approval" in found["configuration"]["says"]
        assert set(found) == {"configuration"}, "nothing of it is tried out before"
        assert (await typed("reload", "--yes", cwd=setup.root)).status == 0
        assert set(await patient.examined()) == {"channel 12345 of site"}


async def test_a_change_that_also_puts_the_file_within_reach_is_not_tried_out_either(patient: Patient) -> None:
    ran = patient.setup.root / "ran"
    evil = patient.setup.root / "evil"
    evil.write_text(f"#!/bin/sh\necho \"$@\" >> '{ran}'\n")
    evil.chmod(0o755)
    async with running(patient.setup):  # confirms its configuration
        pass
    with socket.create_server(("127.0.0.1", 0)) as theirs:
        theirs.settimeout(0)
        patient.change(patient.setup.discord.rest_url, f"http://127.0.0.1:{theirs.getsockname()[1]}")
        patient.change(str(patient.setup.command[0]), str(evil))
        patient.change(f'folder = "{patient.setup.project}"', f'folder = "{patient.setup.root}"')
        found = await patient.examined()
        assert "where Claude could rewrite it" in found["configuration"]["says"]
        with pytest.raises(BlockingIOError):
            theirs.accept()
    assert not ran.exists()
