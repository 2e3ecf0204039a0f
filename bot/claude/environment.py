"""The environment and the MCP configuration for `claude`."""

import json
import os
import string
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import shared
from shared import protocol
from shared.protocol import SERVER_NAME, TOOL_NAME

TEMPLATE = "mcp-config.template.json"
PERMISSION_TOOL = f"mcp__{SERVER_NAME}__{TOOL_NAME}"
FILE_TOOL = f"mcp__{SERVER_NAME}__{protocol.FILE_TOOL}"
"""Allowed without asking, because the bot checks each file itself."""

TOOL_TIMEOUT_MS = str(30 * 24 * 3600 * 1000)
"""30 days; a shorter value from the user's shell would end every wait for a person too early."""

CONNECT_TIMEOUT_MS = str(60 * 1000)
"""After two seconds, older CLIs start without a slow server and then refuse every tool; with `alwaysLoad` in the
configuration they wait this long for ours."""

STAY = {"CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1"}
"""Starts each command in the project's folder, as its card says; otherwise an earlier `cd`, for which no one was asked,
would still apply."""
SETTINGS = json.dumps({"env": STAY})
"""The same as CLI settings: these override a project's own settings, which override the environment."""

_OWN = ("DISCORD_", "CLAUDE_DISCORD_")
_SUPERVISED = frozenset({"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"})
"""With these the bot notifies systemd; Claude must not."""
_NESTED = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"})
"""Set in a Claude Code terminal: `claude` would think that it runs inside another one."""
_LEFT_OUT = _NESTED | _SUPERVISED


def environment(secrets: frozenset[str], inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for Claude: the user's, without the bot's own variables and secrets."""
    inherited = os.environ if inherited is None else inherited
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith(_OWN) and name not in _LEFT_OUT and not any(secret in value for secret in secrets)
    }
    return kept | STAY | {"MCP_TOOL_TIMEOUT": TOOL_TIMEOUT_MS, "MCP_CONNECT_TIMEOUT_MS": CONNECT_TIMEOUT_MS}


def mcp_config(token: str, address_file: Path, patience: float) -> str:
    """Return the MCP configuration of a run, from the template."""
    values = {
        "python": sys.executable,
        "address_file": str(address_file),
        "token": token,
        "patience": f"{patience:g}",
        "packages": str(Path(shared.__file__).parents[1]),
    }
    return json.dumps(_fill(json.loads(_template()), values), indent=2)


def _template() -> str:
    """Read the template: next to the packages in a clone, inside this package in an installed wheel."""
    clone = Path(__file__).parents[2] / TEMPLATE
    return (clone if clone.is_file() else resources.files(__package__) / TEMPLATE).read_text(encoding="utf-8")


def _fill(part: Any, values: Mapping[str, str]) -> Any:
    match part:
        case str():
            return string.Template(part).substitute(values)
        case dict():
            return {name: _fill(value, values) for name, value in part.items()}
        case list():
            return [_fill(value, values) for value in part]
        case _:
            return part
