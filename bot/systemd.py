"""Tells systemd when the bot is ready and when it is stopping."""

import os
import socket
from contextlib import suppress


def notify(state: str) -> None:
    """Send a state to systemd (sd_notify's protocol); do nothing if no supervisor asked for it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection:
        connection.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
