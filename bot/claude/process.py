"""One life of a `claude` process: alive inside the block, gone after it, whatever happened."""

import asyncio
import base64
import itertools
import json
import mimetypes
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import psutil

from bot.claude import process_identity
from bot.claude.environment import FILE_TOOL, PERMISSION_TOOL, SETTINGS, environment, mcp_config
from bot.claude.file_snapshot import look_at
from bot.claude.inherited_process import Kept, descriptor_of
from bot.claude.journal import Journal
from bot.claude.outgoing_files import sendable
from bot.claude.process_exit import process_exit, stderr_tail
from bot.claude.subagent_worktrees import agents_work_apart
from bot.errors import ClaudeError
from bot.events import ControlResponse, Event, ProcessExit, decode
from bot.messages import File
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.ports import Launch, Reach
from bot.private_folders import make_folder
from bot.records import RunRecord

ABORT_GRACE = 5.0  # after SIGINT claude writes its result and its session file, then exits by itself
TERM_GRACE = 2.0
SPOKEN_WITHIN = 5.0  # claude reads its stdin all the time: what is not taken by then never will be


class Run:
    """A running `claude`: write prompts to it, read its events."""

    def __init__(
        self, id_: str, folder: Path, process: "asyncio.subprocess.Process | Kept | psutil.Process | None"
    ) -> None:
        self.id = id_
        self._folder = folder
        self._process = process
        self._journal = Journal(folder / "journal.jsonl")
        self._numbers = itertools.count(1)
        self._answers: dict[str, asyncio.Future[Mapping[str, Any]]] = {}

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def started(self) -> float | None:
        """The process's start time, as the system tells it."""
        return process_identity.started(self.pid) if self.pid else None

    @property
    def alive(self) -> bool:
        match self._process:
            case asyncio.subprocess.Process() | Kept() as child:
                return child.returncode is None
            case psutil.Process() as adopted:
                return adopted.is_running() and adopted.status() != psutil.STATUS_ZOMBIE
            case _:
                return False

    @property
    def listens(self) -> bool:
        """Whether it can be spoken to; one that outlived the bot that started it can only be read."""
        return isinstance(self._process, asyncio.subprocess.Process | Kept) and self.alive

    @property
    def exit(self) -> ProcessExit:
        """How it ended; asked once it has."""
        child = self._process if isinstance(self._process, asyncio.subprocess.Process | Kept) else None
        return process_exit(child.returncode if child else None, stderr_tail(self._folder / "stderr.log"))

    async def events(self, offset: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Yield each event with the journal's offset behind it, until the process has ended."""
        async for line in self._journal.lines(offset, lambda: self.alive):
            event = decode(line.text)
            if isinstance(event, ControlResponse):
                self._answer(event)
            yield line.end, event

    async def say(self, content: Sequence[Mapping[str, Any]], uuid: str) -> None:
        """Write a prompt; `uuid` comes back in the journal when Claude has taken it."""
        message = {"role": "user", "content": list(content)}
        await self._write({"type": "user", "message": message, "uuid": uuid})

    async def control(self, subtype: str, within: float = 10.0, **fields: Any) -> Mapping[str, Any]:
        """Ask the process itself for something; raises ClaudeError if it won't, or does not answer."""
        name = f"{self.id}-{next(self._numbers)}"
        future: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[name] = future
        try:
            await self._write(
                {"type": "control_request", "request_id": name, "request": {"subtype": subtype, **fields}}
            )
            async with asyncio.timeout(within):
                return await future
        except TimeoutError:
            raise ClaudeError(f"Claude did not answer `{subtype}` within {within:g} s.") from None
        finally:
            del self._answers[name]

    async def interrupt(self) -> None:
        """Stop the turn, keep the process."""
        await self.control("interrupt")

    def finish(self) -> None:
        """Let it come to its end: no more prompts."""
        if self.listens:
            self._stdin.close()
            self._journal.wake()

    async def spoken(self) -> bool:
        """Wait until all that was said to it is written; False when it can't be spoken to."""
        if not self.listens:
            return False
        self._stdin.transport.set_write_buffer_limits(high=0)
        with suppress(TimeoutError, BrokenPipeError, ConnectionResetError):
            async with asyncio.timeout(SPOKEN_WITHIN):
                await self._stdin.drain()
        return True

    def hand_over(self) -> int | None:
        """Give a descriptor through which the next bot goes on speaking to it; None where it can't."""
        if not self.listens or self._stdin.transport.get_write_buffer_size() or self._stdin.is_closing():
            return None
        return descriptor_of(self._stdin)

    async def end(self) -> None:
        """End the process and everything it started: a word, then a signal, then force."""
        if self._process is None:
            return
        self.finish()
        for number, grace in ((signal.SIGINT, ABORT_GRACE), (signal.SIGTERM, TERM_GRACE), (signal.SIGKILL, TERM_GRACE)):
            if not self.alive:
                break
            with suppress(ProcessLookupError):
                if number is signal.SIGINT:
                    os.kill(self._process.pid, number)  # claude alone: it ends its own children
                else:
                    os.killpg(self._process.pid, number)
            with suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await self._gone()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # whatever its group still holds

    async def _gone(self) -> None:
        if isinstance(self._process, asyncio.subprocess.Process | Kept):
            await self._process.wait()
        while self.alive:  # noqa: ASYNC110 - not our child: the system tells nobody of its end
            await asyncio.sleep(0.02)

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        assert isinstance(self._process, asyncio.subprocess.Process | Kept)  # noqa: S101
        assert self._process.stdin is not None  # noqa: S101
        return self._process.stdin

    async def _write(self, message: Mapping[str, Any]) -> None:
        if not self.listens:
            raise ClaudeError("Claude has ended and can't be spoken to; write again to resume the conversation.")
        self._journal.wake()
        # A broken pipe is the process's end: the journal's reader finds out why and says so.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            await self._stdin.drain()

    def _answer(self, event: ControlResponse) -> None:
        future = self._answers.get(event.request_id)
        if future is None or future.done():
            return
        if event.ok:
            future.set_result(event.response)
        else:
            future.set_exception(ClaudeError(f"Claude refused: {event.error}"))


@dataclass(frozen=True, slots=True)
class Claude:
    """Starts `claude` processes on this machine."""

    command: tuple[str, ...]
    runs: Path
    """The folder that holds a folder for each run."""
    address_file: Path
    patience: float
    secrets: frozenset[str] = field(repr=False, default=frozenset())
    extra_environment: Mapping[str, str] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    """The stdin of each run that the bot before a restart left running."""

    @asynccontextmanager
    async def run(self, launch: Launch) -> AsyncIterator[Run]:
        """Start a process; it ends with the block."""
        folder = self.runs / launch.run
        make_folder(self.runs)
        folder.mkdir(mode=0o700)
        config = folder / "mcp.json"
        attachments = self.attachments(launch.conversation)
        make_folder(attachments)
        _write_private(config, mcp_config(launch.token, self.address_file, self.patience).encode())
        with _private(folder / "journal.jsonl") as journal, _private(folder / "stderr.log") as stderr:
            try:
                process = await asyncio.create_subprocess_exec(
                    *self.command,
                    *_arguments(launch, config),
                    f"--add-dir={attachments}",
                    f"--allowedTools={FILE_TOOL}",
                    stdin=asyncio.subprocess.PIPE,
                    stdout=journal,
                    stderr=stderr,
                    cwd=launch.folder,
                    env=environment(self.secrets) | dict(launch.environment) | dict(self.extra_environment),
                    start_new_session=True,
                )
            except OSError as error:
                raise ClaudeError(self._why_not(launch, error)) from None
        run = Run(launch.run, folder, process)
        try:
            yield run
        finally:
            await _whatever_happens(run.end())
            config.unlink(missing_ok=True)

    @asynccontextmanager
    async def adopt(self, record: RunRecord) -> AsyncIterator[Run]:
        """Take up a run that outlived the bot that started it: read to its end, and spoken to if it was kept for us."""
        process: psutil.Process | Kept | None = None
        with suppress(psutil.Error):
            if record.pid and record.pid_started and process_identity.same(record.pid, record.pid_started):
                process = psutil.Process(record.pid)
        if process is not None and (descriptor := self.kept.pop(record.id, None)) is not None:
            process = await Kept.connect(process.pid, descriptor)
        adopted = Run(record.id, self.runs / record.id, process)
        try:
            yield adopted
        finally:
            await _whatever_happens(adopted.end())
            if process is not None:
                (self.runs / record.id / "mcp.json").unlink(missing_ok=True)

    def let_go(self, wanted: frozenset[str]) -> None:
        """Close the stdin of kept runs that nobody takes up: they come to their end by themselves."""
        for run in [run for run in self.kept if run not in wanted]:
            os.close(self.kept.pop(run))

    def attachments(self, conversation: int) -> Path:
        """Name the folder of what people attach in a conversation."""
        return self.runs.parent / "attachments" / str(conversation)

    def look_at(self, path: str, reach: Reach, known: FileSnapshot | None = None) -> FileSnapshot:
        """Look at a file that Claude would change or read."""
        return look_at(path, reach, known)

    def agents_work_apart(self, folder: Path) -> bool:
        """Say whether a subagent may work in another folder than this one."""
        return agents_work_apart(folder)

    def sendable(self, path: str, folder: Path) -> File | str:
        """Give a file that Claude wants to send from this folder, or a sentence about why it may not be sent."""
        return sendable(path, folder, environment(self.secrets) | dict(self.extra_environment))

    def image(self, path: str) -> Mapping[str, Any]:
        """Give an image as a content block."""
        data = Path(path).read_bytes()
        media_type = mimetypes.guess_type(path)[0] or "image/png"
        source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode()}
        return {"type": "image", "source": source}

    def _why_not(self, launch: Launch, error: OSError) -> str:
        if not launch.folder.is_dir():
            return f"The project's folder {launch.folder} is gone. Bring it back, or correct `folder`."
        if isinstance(error, FileNotFoundError):
            return (
                f"There is no program `{self.command[0]}` on this machine. Install Claude Code, "
                'or name it in the configuration: [claude] command = ["/path/to/claude"].'
            )
        return f"`{self.command[0]}` can't be started: {error.strerror}."


def _arguments(launch: Launch, config: Path) -> list[str]:
    return [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--replay-user-messages",
        "--mcp-config",
        str(config),
        "--permission-prompt-tool",
        PERMISSION_TOOL,
        "--settings",
        SETTINGS,
        "--resume" if launch.resume else "--session-id",
        launch.session,
        *launch.arguments,
    ]


async def _whatever_happens(ending: Any) -> None:
    """Reap a child to the end, even while being cancelled: the one thing that is shielded."""
    task = asyncio.ensure_future(ending)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


@contextmanager
def _private(path: Path) -> Iterator[BinaryIO]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        yield file


def _write_private(path: Path, content: bytes) -> None:
    with _private(path) as file:
        file.write(content)
