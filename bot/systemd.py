"""Tells systemd how things stand: ready when Discord has let the bot in, and when it leaves."""

import os
import socket
from contextlib import suppress


def tell(state: str) -> None:
    """Say it to whoever supervises; nobody is told where nobody asked (sd_notify's protocol)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
        wire.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
