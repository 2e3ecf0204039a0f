"""What `claude` is given: its environment and its MCP configuration."""

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
"""May be used without asking: the bot looks at each file itself."""

TOOL_TIMEOUT_MS = str(30 * 24 * 3600 * 1000)
"""A month: a value inherited from the user's shell would cut every wait for a person short."""

CONNECT_TIMEOUT_MS = str(60 * 1000)
"""Older CLIs begin after two seconds without a slow server, and then refuse every tool: with `alwaysLoad` in the
configuration they wait this long for ours."""

STAY = {"CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1"}
"""Each command begins in the project's folder, as its card says: otherwise a `cd` that nobody was asked about stays in
force."""
SETTINGS = json.dumps({"env": STAY})
"""The same over what a project's own settings say, which Claude puts over its environment."""

_OWN = ("DISCORD_", "CLAUDE_DISCORD_")
_SUPERVISED = frozenset({"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"})
"""For the bot's own word to systemd."""
_NESTED = frozenset({"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"})
"""Set inside a Claude Code terminal: a `claude` that finds them takes itself for a nested one."""
_LEFT_OUT = _NESTED | _SUPERVISED


def environment(secrets: frozenset[str], inherited: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give Claude the user's environment without anything that is the bot's own."""
    inherited = os.environ if inherited is None else inherited
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith(_OWN) and name not in _LEFT_OUT and not any(secret in value for secret in secrets)
    }
    return kept | STAY | {"MCP_TOOL_TIMEOUT": TOOL_TIMEOUT_MS, "MCP_CONNECT_TIMEOUT_MS": CONNECT_TIMEOUT_MS}


def mcp_config(token: str, address_file: Path, patience: float) -> str:
    """Fill in the template for one run."""
    values = {
        "python": sys.executable,
        "address_file": str(address_file),
        "token": token,
        "patience": f"{patience:g}",
        "packages": str(Path(shared.__file__).parents[1]),
    }
    return json.dumps(_fill(json.loads(_template()), values), indent=2)


def _template() -> str:
    """Read the template: beside the packages in a clone, inside this one in an installed wheel."""
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
