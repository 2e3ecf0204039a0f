"""Runs Claude on this machine: starts processes, adopts those of the previous bot, reads files."""

import asyncio
import base64
import mimetypes
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bot.claude import process_identity
from bot.claude.environment import environment, mcp_config
from bot.claude.file_reader import look_at
from bot.claude.inherited_process import InheritedProcess
from bot.claude.outgoing_files import sendable
from bot.claude.process import LocalProcess
from bot.claude.process_start import arguments, start_process
from bot.claude.subagent_worktrees import agents_work_apart
from bot.messages import File
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.ports import Launch, ReadScope
from bot.private_files import append_to, make_folder
from bot.records import RunRecord


@dataclass(frozen=True, slots=True)
class LocalHost:
    """Starts `claude` processes on this machine."""

    command: tuple[str, ...]
    runs: Path
    """Contains a folder for each run."""
    address_file: Path
    patience: float
    secrets: frozenset[str] = field(repr=False, default=frozenset())
    extra_environment: Mapping[str, str] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    """The stdin descriptor of each run that was kept across a restart of the bot."""

    @asynccontextmanager
    async def run(self, launch: Launch) -> AsyncIterator[LocalProcess]:
        """Start a process for the block, and end it afterwards."""
        folder = self.runs / launch.run
        make_folder(self.runs)
        folder.mkdir(mode=0o700)
        config = folder / "mcp.json"
        attachments = self.attachments(launch.conversation)
        make_folder(attachments)
        with append_to(config) as file:
            file.write(mcp_config(launch.token, self.address_file, self.patience).encode())
        command_line = (*self.command, *arguments(launch, config, attachments))
        variables = environment(self.secrets) | dict(launch.environment) | dict(self.extra_environment)
        process = await start_process(command_line, launch, folder, variables)
        run = LocalProcess(launch.run, folder, process)
        try:
            yield run
        finally:
            await _finish(run.end())
            config.unlink(missing_ok=True)

    @asynccontextmanager
    async def adopt(self, record: RunRecord) -> AsyncIterator[LocalProcess]:
        """Adopt a run of the previous bot: read it to its end, and write to it if its stdin was kept."""
        process: psutil.Process | InheritedProcess | None = None
        with suppress(psutil.Error):
            if record.pid and record.pid_started and process_identity.same(record.pid, record.pid_started):
                process = psutil.Process(record.pid)
        if process is not None and (descriptor := self.kept.pop(record.id, None)) is not None:
            process = await InheritedProcess.connect(process.pid, descriptor)
        adopted = LocalProcess(record.id, self.runs / record.id, process)
        try:
            yield adopted
        finally:
            await _finish(adopted.end())
            if process is not None:
                (self.runs / record.id / "mcp.json").unlink(missing_ok=True)

    def let_go(self, wanted: frozenset[str]) -> None:
        """Close the stdin of kept runs that are not wanted, so that they end."""
        for run in [run for run in self.kept if run not in wanted]:
            os.close(self.kept.pop(run))

    def attachments(self, conversation: int) -> Path:
        """Return the folder for the attachments of a conversation."""
        return self.runs.parent / "attachments" / str(conversation)

    def look_at(self, path: str, scope: ReadScope, known: FileSnapshot | None = None) -> FileSnapshot:
        """Return a snapshot of a file that Claude wants to change or read."""
        return look_at(path, scope, known)

    def agents_work_apart(self, folder: Path) -> bool:
        """Check whether a subagent may work in a folder other than this one."""
        return agents_work_apart(folder)

    def sendable(self, path: str, folder: Path) -> File | str:
        """Return a file that Claude wants to send, or a sentence that says why it can't be sent."""
        return sendable(path, folder, environment(self.secrets) | dict(self.extra_environment))

    def image(self, path: str) -> Mapping[str, Any]:
        """Return an image as a content block."""
        data = Path(path).read_bytes()
        media_type = mimetypes.guess_type(path)[0] or "image/png"
        source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
        return {"type": "image", "source": source}


async def _finish(ending: Any) -> None:
    """Finish ending a child process even if cancelled; nothing else is shielded."""
    task = asyncio.ensure_future(ending)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
