"""Start the MCP server; it serves until stdin ends, the CLI is gone, or a signal arrives."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping

from permission_mcp.handshake import response

Serve = Callable[[Mapping[str, str], bytes], Awaitable[None]]


def main() -> None:
    # Die of these at once, also when the parent ignored them; the kernel then closes the connection to the bot.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def run() -> None:
        end_with_parent()
        loading = asyncio.create_task(asyncio.to_thread(_load))
        if first := await answer_handshake():
            await (await loading)(os.environ, first)
        sys.stdout.flush()
        os._exit(0)  # someone waits: neither for what still loads nor for the interpreter's end, which takes 80 ms

    asyncio.run(run())


def _load() -> Serve:
    gc.disable()  # importing makes a hundred thousand objects and no garbage: 6 % of the start-up
    from permission_mcp.server import serve  # noqa: PLC0415 - the handshake is answered while it loads

    gc.freeze()
    gc.enable()
    return serve


async def answer_handshake() -> bytes:
    """Answer the CLI's first two requests; return the first other line, or nothing at the end of stdin."""
    while True:
        line: bytes = await asyncio.to_thread(sys.stdin.buffer.readline)
        early = response(line)
        if early is None:
            return line
        sys.stdout.buffer.write(early)
        sys.stdout.buffer.flush()


def end_with_parent() -> None:
    """Exit together with the CLI, even if another of its children keeps our stdin open.

    PR_SET_PDEATHSIG would fire when the *thread* that started us ends; a pidfd watches the process. Systems without one
    have the end of stdin.
    """
    if sys.platform != "linux":
        return
    try:
        parent = os.pidfd_open(os.getppid())
    except OSError:  # gone already, or a kernel without pidfds
        return
    asyncio.get_running_loop().add_reader(parent, os._exit, 0)


if __name__ == "__main__":
    main()
