"""A `claude` process that kept running while the bot restarted: the new bot writes to the same stdin."""

import asyncio
import os
from asyncio.streams import FlowControlMixin
from typing import Self

POLL = 0.02


class InheritedProcess:
    """A child of this process id from before the restart; used like an `asyncio.subprocess.Process`."""

    def __init__(self, pid: int, stdin: asyncio.StreamWriter) -> None:
        self.pid = pid
        self.stdin = stdin
        self._status: int | None = None

    @classmethod
    async def connect(cls, pid: int, descriptor: int) -> Self:
        """Write to it through the inherited descriptor."""
        loop = asyncio.get_running_loop()
        pipe = os.fdopen(descriptor, "wb", buffering=0)
        transport, protocol = await loop.connect_write_pipe(FlowControlMixin, pipe)
        return cls(pid, asyncio.StreamWriter(transport, protocol, None, loop))

    @property
    def returncode(self) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                self._status = 0  # not our child, and gone: its status is unknown
            else:
                self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    async def wait(self) -> int:
        while (status := self.returncode) is None:  # noqa: ASYNC110 - asyncio can't wait for a process it did not start
            await asyncio.sleep(POLL)
        return status


def descriptor_of(stdin: asyncio.StreamWriter) -> int:
    """Duplicate a process's stdin so that it outlives an exec."""
    copy = os.dup(stdin.get_extra_info("pipe").fileno())
    os.set_inheritable(copy, True)  # noqa: FBT003 - positional only
    return copy
