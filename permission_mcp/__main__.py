"""Starts the MCP server, which runs until stdin ends, the CLI exits, or a signal arrives."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from permission_mcp.handshake import response

LOAD_AFTER = 1.0
"""Seconds; Claude's first tool call comes later, and the CLI's own start takes less time on a small machine."""
Serve = Callable[[Mapping[str, str], bytes], Awaitable[None]]


def main() -> None:
    # Exit immediately, even if the parent ignores these signals; the kernel then closes the connection to the bot.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    async def run() -> None:
        end_with_parent()
        called = asyncio.Event()
        loading = asyncio.create_task(_load_soon(called))
        if first := await answer_handshake():
            called.set()
            await (await loading)(os.environ, first)
        sys.stdout.flush()
        os._exit(0)  # don't wait for the loading thread or the interpreter's shutdown, which takes 80 ms

    asyncio.run(run())


async def _load_soon(called: asyncio.Event) -> Serve:
    """Load the server when it is called, or a moment after the start, when the CLI no longer needs the processor."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LOAD_AFTER):
            await called.wait()
    return await asyncio.to_thread(_load_server)


def _load_server() -> Serve:
    gc.disable()  # importing creates 100,000 objects and no garbage; this saves 6 % of the start-up time
    from permission_mcp.server import serve  # noqa: PLC0415 - the handshake is answered while this loads

    gc.freeze()
    gc.enable()
    return serve


async def answer_handshake() -> bytes:
    """Answer the CLI's first two requests; return the first line that is neither, or b"" at the end of stdin."""
    while True:
        line: bytes = await asyncio.to_thread(sys.stdin.buffer.readline)
        answer = response(line)
        if answer is None:
            return line
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


def end_with_parent() -> None:
    """Exit when the CLI exits, even if another of its children keeps our stdin open.

    PR_SET_PDEATHSIG would fire when the *thread* that started us ends; a pidfd watches the process. Systems without
    pidfds rely on the end of stdin.
    """
    if sys.platform != "linux":
        return
    try:
        parent = os.pidfd_open(os.getppid())
    except OSError:  # the CLI has already exited, or the kernel has no pidfds
        return
    asyncio.get_running_loop().add_reader(parent, os._exit, 0)


if __name__ == "__main__":
    main()
