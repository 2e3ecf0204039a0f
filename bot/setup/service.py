"""Installs the bot as a service of this machine: a systemd user unit or a launchd agent."""

import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bot.errors import ConfigError

Kind = Literal["systemd", "launchd"]
NAME = "claude-discord"
LABEL = "io.github.claude-discord"

SYSTEMD = """\
# Written by `claude-discord service`.
[Unit]
Description=claude-discord: talk to Claude Code on this machine from Discord

[Service]
Type=notify
ExecStart={command}
WorkingDirectory={folder}
# The PATH of a login shell, to find claude, git and node. A service's own PATH is almost empty.
Environment={path}
Environment=PYTHONUNBUFFERED=1

# Restart after a crash, but not if the setup is wrong (status 2): it would fail again.
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2

# Signal only the bot, which stops Claude cleanly. If the bot dies, its `claude` sees the end of its input, finishes
# the turn and exits; the next bot shows the rest. Killing the whole group would lose the turn.
KillMode=process
KillSignal=SIGTERM
TimeoutStopSec=30
# If a command of Claude's runs out of memory, only that command is killed.
OOMPolicy=continue

# Nothing that runs here can become another user: no sudo, no setuid program (rootless containers need one: set all
# three to no in a drop-in). Claude is not restricted otherwise: it writes where you let it, runs compilers and
# debuggers. For a sandbox, add ProtectSystem=, ProtectHome= and ReadWritePaths=.
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LimitCORE=0

[Install]
WantedBy=default.target
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """A service file: its path and its text."""

    kind: Kind
    file: Path
    text: str


def service_manager() -> Kind | None:
    """Return the service manager of this machine; None if there is none."""
    if sys.platform == "darwin":
        return "launchd"
    return "systemd" if shutil.which("systemctl") else None


def unit(kind: Kind, config: Path, environment: Mapping[str, str] = os.environ) -> Unit:
    """Build the service file for the bot with this configuration."""
    command = (*_start_command(), "run", "--config", str(config))
    paths = environment.get("PATH", os.defpath)
    file = file_path(kind, environment)
    if kind == "launchd":
        return Unit(kind, file, _plist(command, config.parent, paths, _home(environment)))
    text = SYSTEMD.format(
        command=" ".join(_quoted(word).replace("$", "$$") for word in command),
        folder=str(config.parent).replace("%", "%%"),
        path=_quoted(f"PATH={paths}"),
    )
    return Unit(kind, file, text)


def file_path(kind: Kind, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the service file."""
    home = _home(environment)
    if kind == "launchd":
        return home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    base = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return base / "systemd" / "user" / f"{NAME}.service"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _start_command() -> tuple[str, ...]:
    """Return the command that starts this program; the script, if there is one, imports nothing from the folder."""
    script = Path(sys.executable).parent / NAME
    return (str(script),) if script.is_file() else (sys.executable, "-m", "bot")


def _quoted(word: str) -> str:
    """Quote for systemd, which interprets % and backslashes."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'


def _plist(command: tuple[str, ...], folder: Path, paths: str, home: Path) -> str:
    log = str(home / "Library" / "Logs" / f"{NAME}.log")
    fields = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "WorkingDirectory": str(folder),
        "EnvironmentVariables": {"PATH": paths, "PYTHONUNBUFFERED": "1"},
        "RunAtLoad": True,
        # Restart after a crash, at most every 30 s, in case the setup is wrong.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ExitTimeOut": 30,
        # If the bot dies, its `claude` finishes the turn by itself: don't kill the whole group.
        "AbandonProcessGroup": True,
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return plistlib.dumps(fields, sort_keys=False).decode()


def install(unit: Unit, *, replace: bool) -> list[str]:
    """Write the service file and start the service; return the lines to show."""
    if unit.file.exists() and not replace and unit.file.read_text(encoding="utf-8") != unit.text:
        raise ConfigError(f"{unit.file} already exists with different content. Pass --yes to replace it.")
    unit.file.parent.mkdir(parents=True, exist_ok=True)
    unit.file.write_text(unit.text, encoding="utf-8")
    said = [f"Written: {unit.file}"]
    for command in _start_commands(unit):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            said.append(f"This command failed ({done.stderr.strip() or done.returncode}). Run it yourself:")
            said.append(f"  {' '.join(command)}")
            break
    else:
        said.append("The service is running, and starts with the machine." + _linger_hint(unit))
    return said


def remove(unit: Unit) -> list[str]:
    """Stop the service and remove its file."""
    if not unit.file.exists():
        return [f"There is no service file {unit.file}."]
    for command in _stop_commands(unit):
        subprocess.run(command, capture_output=True, check=False, timeout=60)
    unit.file.unlink()
    return [f"Removed: {unit.file}"]


def _start_commands(unit: Unit) -> list[list[str]]:
    if unit.kind == "launchd":
        return [["launchctl", "bootstrap", f"gui/{os.getuid()}", str(unit.file)]]
    return [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", NAME]]


def _stop_commands(unit: Unit) -> list[list[str]]:
    if unit.kind == "launchd":
        return [["launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}"]]
    return [["systemctl", "--user", "disable", "--now", NAME]]


def _linger_hint(unit: Unit) -> str:
    return " To keep it running while you are logged out: loginctl enable-linger" if unit.kind == "systemd" else ""
