"""Whose program listens at an address: after a crash of the bot, another user could take it, and decide."""

import os
import socket
import sys
from pathlib import Path

SOCKETS = Path("/proc/net/tcp")
LISTENING = "0A"


def belongs_to_us(host: str, port: int) -> bool:
    """Say whether a program of our own user listens just there; where the system doesn't tell, it is taken for ours.

    One of ours at the same port of another address, or of every address, is not who answers here.
    """
    local = f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
    try:
        with SOCKETS.open(encoding="ascii") as rows:  # listeners come first: of thousands, few are read
            next(rows, None)
            return any(_is_ours(row.split(), local) for row in rows)
    except OSError:
        return True


def _is_ours(row: list[str], local: str) -> bool:
    _, address, _, state, _, _, _, user, *_ = row
    return state == LISTENING and address == local and int(user) == os.geteuid()
