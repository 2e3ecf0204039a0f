"""The command line and the environment of the scripted agent; unknown options of the real CLI are ignored."""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from sandbox.scripted_claude import session_files
from sandbox.scripted_claude.permission_policy import MODES
from sandbox.scripts.script import ClaudeScript
from sandbox.scripts.script_file import load

SCRIPT_ENV = "CLAUDE_SCRIPT"
"""The path of a file of scripts (see `sandbox.scripts.script_file`); without it, the agent gives the tour."""
PACE_ENV = "CLAUDE_SCRIPT_PACE"
"""Seconds between two chunks of text."""
RETRIES_ENV = "CLAUDE_CODE_MAX_RETRIES"
DEFAULT_PACE = 0.03


class UsageError(Exception):
    """The command line or a line of input is invalid."""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="claude", allow_abbrev=False, add_help=False)
    parser.add_argument("-v", "--version", action="store_true")
    parser.add_argument("-r", "--resume")
    parser.add_argument("--session-id")
    parser.add_argument("--model", default="claude-scripted")
    parser.add_argument("--permission-mode", default="default")
    parser.add_argument("--permission-prompt-tool")
    parser.add_argument("--mcp-config", nargs="+", default=[])
    parser.add_argument("--include-partial-messages", action="store_true")
    parser.add_argument("--replay-user-messages", action="store_true")
    return parser.parse_known_args(argv)[0]


def session(options: argparse.Namespace, cwd: Path) -> session_files.SessionFile:
    """Resume or start the session in the options."""
    if options.resume is not None:
        return session_files.resume(options.resume, cwd)
    if options.session_id is None:
        return session_files.begin(str(uuid4()), cwd)
    try:
        UUID(options.session_id)
    except ValueError:
        raise UsageError("Error: Invalid session ID. Must be a valid UUID.") from None
    return session_files.begin(options.session_id, cwd)


def permission_mode(options: argparse.Namespace) -> str:
    name: str = options.permission_mode
    mode = "default" if name == "manual" else name
    if mode not in MODES:
        raise UsageError(f"error: option '--permission-mode <mode>' argument '{name}' is invalid.")
    return mode


def mcp_servers(options: argparse.Namespace) -> dict[str, Any]:
    """Read `--mcp-config`: each value is a file, or JSON itself."""
    found: dict[str, Any] = {}
    for config in options.mcp_config:
        text = config if config.lstrip().startswith("{") else Path(config).read_text(encoding="utf-8")
        found |= json.loads(text)["mcpServers"]
    return found


def script_chooser() -> Callable[[str], ClaudeScript]:
    """Return the function that chooses a script for a prompt."""
    path = os.environ.get(SCRIPT_ENV)
    if path:
        return load(Path(path)).choose
    from sandbox.scripts.tour import choose  # noqa: PLC0415 - tests bring their own scripts and don't need the tour

    return choose


def pace() -> float:
    return float(os.environ.get(PACE_ENV, "0" if SCRIPT_ENV in os.environ else str(DEFAULT_PACE)))


def retries() -> int:
    return int(os.environ.get(RETRIES_ENV, "10"))
