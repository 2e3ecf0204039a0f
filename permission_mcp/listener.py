"""Whose program listens on a port: after a crash of the bot, another user of the machine could take it, and decide."""

import os
from pathlib import Path

SOCKETS = Path("/proc/net/tcp")
LISTENING = "0A"


def is_ours(port: int) -> bool:
    """Say whether a program of our own user listens there; where the system doesn't tell, it is taken for ours."""
    try:
        rows = SOCKETS.read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return True
    for row in rows:
        _, local, _, state, _, _, _, user, *_ = row.split()
        if state == LISTENING and int(local.rpartition(":")[2], 16) == port and int(user) == os.geteuid():
            return True
    return False
