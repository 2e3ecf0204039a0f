"""Runs git without a pager, without prompts and with a time limit."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.errors import NotDone

WITHIN = 120.0
"""Seconds; checking out a large repository on a slow disk takes long."""
_FIXED = {"LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_EDITOR": "true"}


@dataclass(frozen=True, slots=True)
class GitResult:
    """The exit status and output of git."""

    status: int
    out: str
    errors: str

    @property
    def ok(self) -> bool:
        return self.status == 0

    @property
    def why(self) -> str:
        """Return the last line of output, in which git gives the reason of a failure."""
        lines = [line for line in (self.errors or self.out).splitlines() if line.strip()]
        return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else f"git ended with {self.status}"


async def run(folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> GitResult:
    """Run git in a folder."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            "-c",
            "core.quotePath=false",
            *words,
            cwd=folder,
            env=inherited | _FIXED | dict(environment or {}),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise NotDone(f"git can't be run in {folder}: {error.strerror}.") from None
    try:
        async with asyncio.timeout(WITHIN):
            out, errors = await process.communicate()
    except TimeoutError:
        raise NotDone(f"git took longer than {WITHIN:g} s in {folder} and was stopped.") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return GitResult(process.returncode or 0, out.decode(errors="replace"), errors.decode(errors="replace"))


async def output(folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> str:
    """Run git and return its output; raise NotDone with git's reason if it fails."""
    said = await run(folder, *words, environment=environment)
    if not said.ok:
        raise NotDone(f"git {words[0]}: {said.why}.")
    return said.out.strip("\n")
