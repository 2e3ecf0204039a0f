"""Checks whose program listens on a port: after a crash, another user could take the bot's port and decide."""

import os
import socket
import sys
from pathlib import Path

TCP_SOCKETS = Path("/proc/net/tcp")
LISTENING = "0A"


def belongs_to_us(host: str, port: int) -> bool:
    """Check whether a program of our own user listens at exactly this address; if the system can't tell, return True.

    A listener of ours on the same port of another address, or of all addresses, does not count.
    """
    local = f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
    try:
        with TCP_SOCKETS.open(
            encoding="ascii"
        ) as rows:  # listeners come first, so only a few of thousands of rows are read
            next(rows, None)
            return any(_is_our_listener(row.split(), local) for row in rows)
    except OSError:
        return True


def _is_our_listener(row: list[str], local: str) -> bool:
    _, address, _, state, _, _, _, user, *_ = row
    return state == LISTENING and address == local and int(user) == os.geteuid()
