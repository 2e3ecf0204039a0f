"""Who talks in the sandbox: the real `claude` where it is there and logged in, otherwise the script that plays it."""

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
    """Why it is not the real one, with the cure; empty when it is."""

    def keeping(self, folder: Path) -> "AgentCommand":
        """Have the scripted agent keep its sessions in this folder; the real one has a place of its own."""
        return replace(self, environment={**self.environment, "CLAUDE_CONFIG_DIR": str(folder)}) if self.why else self


def scripted(why: str = "You asked for it with --scripted.") -> AgentCommand:
    paths = os.pathsep.join(filter(None, (str(Path(sandbox.__file__).parents[1]), os.environ.get("PYTHONPATH"))))
    return AgentCommand("Scripted agent, not Claude", SCRIPTED, {"PYTHONPATH": paths}, why)


async def choose(*, scripted: bool = False) -> AgentCommand:
    """Choose who talks."""
    if scripted:
        return _scripted()
    claude = shutil.which("claude")
    if claude is None:
        return _scripted("The real one talks once `claude` is installed and logged in.")
    match await _logged_in(claude):
        case True:
            return AgentCommand("The real claude", (claude,))
        case False:
            return _scripted("`claude` is not logged in: run `claude auth login` and start again for the real one.")
        case None:
            return _scripted("`claude` does not answer: try `claude auth status` yourself, and start again.")


_scripted = scripted


async def _logged_in(claude: str) -> bool | None:
    """Ask the CLI itself; None when it does not answer."""
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
