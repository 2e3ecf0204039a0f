"""The bot as a service of this machine: a systemd user unit, or a launchd agent."""

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
# What a login shell finds: claude, git, node. A service's own path is almost empty.
Environment={path}
Environment=PYTHONUNBUFFERED=1

# A bot that ends by mistake comes back; one whose set-up is wrong (status 2) would only fail again.
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2

# Stopping asks the bot alone, which brings Claude to its end in order. If the bot dies, its `claude` sees the end of
# its input, finishes the turn and leaves: the next bot shows it. Killing the whole group would lose the turn.
KillMode=process
KillSignal=SIGTERM
TimeoutStopSec=30
# A command of Claude's that eats all memory is ended; the bot stays.
OOMPolicy=continue

# Nothing that runs here can become another user: no sudo, no setuid program (rootless containers need one: set all
# three to no in a drop-in). Otherwise Claude's work is not hemmed in: it writes where you let it, runs compilers and
# debuggers. Who wants walls adds ProtectSystem=, ProtectHome= and ReadWritePaths=.
NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LimitCORE=0

[Install]
WantedBy=default.target
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """A service's file, and where it belongs."""

    kind: Kind
    file: Path
    text: str


def native() -> Kind | None:
    """What runs services here."""
    if sys.platform == "darwin":
        return "launchd"
    return "systemd" if shutil.which("systemctl") else None


def unit(kind: Kind, config: Path, environment: Mapping[str, str] = os.environ) -> Unit:
    """Write down the service of the bot with this configuration."""
    command = (*_program(), "run", "--config", str(config))
    paths = environment.get("PATH", os.defpath)
    file = place(kind, environment)
    if kind == "launchd":
        return Unit(kind, file, _plist(command, config.parent, paths, _home(environment)))
    text = SYSTEMD.format(
        command=" ".join(_quoted(word).replace("$", "$$") for word in command),
        folder=str(config.parent).replace("%", "%%"),
        path=_quoted(f"PATH={paths}"),
    )
    return Unit(kind, file, text)


def place(kind: Kind, environment: Mapping[str, str] = os.environ) -> Path:
    """Say where the service's file belongs."""
    home = _home(environment)
    if kind == "launchd":
        return home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    base = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return base / "systemd" / "user" / f"{NAME}.service"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _program() -> tuple[str, ...]:
    """How to start this program from anywhere: its own script, which takes nothing from the folder it runs in."""
    script = Path(sys.executable).parent / NAME
    return (str(script),) if script.is_file() else (sys.executable, "-m", "bot")


def _quoted(word: str) -> str:
    """Quote for systemd, which reads % and backslashes in its own way."""
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
        # Comes back after a crash; a set-up that is wrong is tried again no oftener than every half minute.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ExitTimeOut": 30,
        # If the bot dies, its `claude` finishes the turn by itself: don't take the whole group along.
        "AbandonProcessGroup": True,
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return plistlib.dumps(fields, sort_keys=False).decode()


def install(unit: Unit, *, replace: bool) -> list[str]:
    """Put the file in its place and start the service; gives what to tell."""
    if unit.file.exists() and not replace and unit.file.read_text(encoding="utf-8") != unit.text:
        raise ConfigError(f"{unit.file} is there already, and says something else. Replace it with --yes.")
    unit.file.parent.mkdir(parents=True, exist_ok=True)
    unit.file.write_text(unit.text, encoding="utf-8")
    said = [f"Written: {unit.file}"]
    for command in _starting(unit):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode:
            said.append(f"This did not work ({done.stderr.strip() or done.returncode}); do it yourself:")
            said.append(f"  {' '.join(command)}")
            break
    else:
        said.append("The service runs, and comes back with the machine." + _linger(unit))
    return said


def remove(unit: Unit) -> list[str]:
    """Stop the service and take its file away."""
    if not unit.file.exists():
        return [f"There is no {unit.file}."]
    for command in _stopping(unit):
        subprocess.run(command, capture_output=True, check=False, timeout=60)
    unit.file.unlink()
    return [f"Removed: {unit.file}"]


def _starting(unit: Unit) -> list[list[str]]:
    if unit.kind == "launchd":
        return [["launchctl", "bootstrap", f"gui/{os.getuid()}", str(unit.file)]]
    return [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", NAME]]


def _stopping(unit: Unit) -> list[list[str]]:
    if unit.kind == "launchd":
        return [["launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}"]]
    return [["systemctl", "--user", "disable", "--now", NAME]]


def _linger(unit: Unit) -> str:
    return " To have it run while you are not logged in: loginctl enable-linger" if unit.kind == "systemd" else ""
