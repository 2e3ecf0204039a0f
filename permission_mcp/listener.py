"""Whose program listens on a port: after a crash of the bot, another user of the machine could take it, and decide."""

import os
from pathlib import Path

SOCKETS = Path("/proc/net/tcp")
LISTENING = "0A"


def is_ours(port: int) -> bool:
    """Say whether a program of our own user listens there; where the system doesn't tell, it is taken for ours."""
    try:
        with SOCKETS.open(encoding="ascii") as rows:  # listeners come first: of thousands, few are read
            next(rows, None)
            return any(_is_ours(row.split(), port) for row in rows)
    except OSError:
        return True


def _is_ours(row: list[str], port: int) -> bool:
    _, local, _, state, _, _, _, user, *_ = row
    return state == LISTENING and int(local.rpartition(":")[2], 16) == port and int(user) == os.geteuid()
