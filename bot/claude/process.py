"""A `claude` process on this machine: sends it prompts and control requests, yields its events, ends it."""

import asyncio
import itertools
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from bot.claude import process_identity
from bot.claude.exit_cause import process_exit, stderr_tail
from bot.claude.inherited_process import InheritedProcess, descriptor_of
from bot.claude.journal import Journal
from bot.errors import ClaudeError
from bot.events import ControlResponse, Event, ProcessExit, decode

ABORT_GRACE = 5.0  # after SIGINT claude writes its result and its session file, then exits by itself
TERM_GRACE = 2.0
FLUSH_WITHIN = 5.0  # claude reads its stdin all the time; what it hasn't read by then it never will

Child = asyncio.subprocess.Process | InheritedProcess


class LocalProcess:
    """A running `claude`: write prompts to it, read its events."""

    def __init__(self, id_: str, folder: Path, process: Child | psutil.Process | None) -> None:
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
        """The start time of the process, according to the system."""
        return process_identity.started(self.pid) if self.pid else None

    @property
    def alive(self) -> bool:
        match self._process:
            case asyncio.subprocess.Process() | InheritedProcess() as child:
                return child.returncode is None
            case psutil.Process() as adopted:
                return adopted.is_running() and adopted.status() != psutil.STATUS_ZOMBIE
            case _:
                return False

    @property
    def listens(self) -> bool:
        """Whether it can be written to; a process that outlived its bot can only be read."""
        return isinstance(self._process, Child) and self.alive

    @property
    def exit(self) -> ProcessExit:
        """How the process ended; only valid once it has."""
        child = self._process if isinstance(self._process, Child) else None
        return process_exit(child.returncode if child else None, stderr_tail(self._folder / "stderr.log"))

    async def events(self, offset: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Yield each event with the journal's offset after it, until the process has ended."""
        async for line in self._journal.lines(offset, lambda: self.alive):
            event = decode(line.text)
            if isinstance(event, ControlResponse):
                self._resolve(event)
            yield line.end, event

    async def say(self, content: Sequence[Mapping[str, Any]], uuid: str) -> None:
        """Send a prompt; `uuid` appears in the journal when Claude has accepted it."""
        message = {"role": "user", "content": list(content)}
        await self._write({"type": "user", "message": message, "uuid": uuid})

    async def control(self, subtype: str, within: float = 10.0, **fields: Any) -> Mapping[str, Any]:
        """Send a control request and return its response; raise ClaudeError if it is refused or not answered."""
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
        """Stop the turn; keep the process."""
        await self.control("interrupt")

    def finish(self) -> None:
        """Close stdin, so that the process ends when it is done."""
        if self.listens:
            self._stdin.close()
            self._journal.wake()

    async def flush(self) -> bool:
        """Wait until everything sent is written; return False if the process can't be written to."""
        if not self.listens:
            return False
        self._stdin.transport.set_write_buffer_limits(high=0)
        with suppress(TimeoutError, BrokenPipeError, ConnectionResetError):
            async with asyncio.timeout(FLUSH_WITHIN):
                await self._stdin.drain()
        return True

    def hand_over(self) -> int | None:
        """Return a descriptor of stdin for the next bot; None if it can't be handed over now."""
        if not self.listens or self._stdin.transport.get_write_buffer_size() or self._stdin.is_closing():
            return None
        return descriptor_of(self._stdin)

    async def end(self) -> None:
        """End the process and everything it started: close stdin, then send signals, finally SIGKILL."""
        if self._process is None:
            return
        self.finish()
        for number, grace in ((signal.SIGINT, ABORT_GRACE), (signal.SIGTERM, TERM_GRACE), (signal.SIGKILL, TERM_GRACE)):
            if not self.alive:
                break
            with suppress(ProcessLookupError):
                if number is signal.SIGINT:
                    os.kill(self._process.pid, number)  # only claude, which ends its own children
                else:
                    os.killpg(self._process.pid, number)
            with suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await self._wait_for_exit()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # what is left of its group

    async def _wait_for_exit(self) -> None:
        if isinstance(self._process, Child):
            await self._process.wait()
        while self.alive:  # noqa: ASYNC110 - not our child, so there is nothing to wait for
            await asyncio.sleep(0.02)

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        assert isinstance(self._process, Child)  # noqa: S101
        assert self._process.stdin is not None  # noqa: S101
        return self._process.stdin

    async def _write(self, message: Mapping[str, Any]) -> None:
        if not self.listens:
            raise ClaudeError("Claude has ended. Write again to resume the conversation.")
        self._journal.wake()
        # A broken pipe means that the process ended; the reader of the journal reports why.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            await self._stdin.drain()

    def _resolve(self, event: ControlResponse) -> None:
        future = self._answers.get(event.request_id)
        if future is None or future.done():
            return
        if event.ok:
            future.set_result(event.response)
        else:
            future.set_exception(ClaudeError(f"Claude refused: {event.error}"))
