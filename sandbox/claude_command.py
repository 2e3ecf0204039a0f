"""The command that the sandbox runs as Claude: the real `claude` if it is logged in, otherwise the scripted agent."""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import sandbox

SCRIPTED = (sys.executable, "-P", "-m", "sandbox.scripted_claude")
LOGIN_WITHIN = 20.0


@dataclass(frozen=True)
class AgentCommand:
    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    """Why this is not the real `claude`, and what to do about it; empty if it is."""

    def with_sessions_in(self, folder: Path) -> "AgentCommand":
        """Keep the scripted agent's sessions in this folder; the real one has its own."""
        return replace(self, environment={**self.environment, "CLAUDE_CONFIG_DIR": str(folder)}) if self.why else self


def scripted(why: str = "You asked for it with --scripted.") -> AgentCommand:
    paths = os.pathsep.join(filter(None, (str(Path(sandbox.__file__).parents[1]), os.environ.get("PYTHONPATH"))))
    return AgentCommand("Scripted agent, not Claude", SCRIPTED, {"PYTHONPATH": paths}, why)


async def choose(*, scripted: bool = False) -> AgentCommand:
    """Choose the real `claude` or the scripted agent."""
    if scripted:
        return _scripted()
    claude = shutil.which("claude")
    if claude is None:
        return _scripted("Install `claude` and log in to use the real one.")
    match await _is_logged_in(claude):
        case True:
            return AgentCommand("The real claude", (claude,))
        case False:
            return _scripted(
                "`claude` is not logged in. Run `claude auth login`, then start again to use the real one."
            )
        case None:
            return _scripted("`claude` did not respond. Run `claude auth status` to see why, then start again.")


_scripted = scripted


async def _is_logged_in(claude: str) -> bool | None:
    """Ask the CLI whether it is logged in; return None if it does not respond."""
    quiet = asyncio.subprocess.DEVNULL
    try:
        process = await asyncio.create_subprocess_exec(
            claude, "auth", "status", stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(LOGIN_WITHIN):
            return await process.wait() == 0
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
