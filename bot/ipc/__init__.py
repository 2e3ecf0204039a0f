"""The endpoint on loopback: Claude's requests come here, and what the owner asks at the terminal."""

from bot.ipc import admin
from bot.ipc.endpoint import application, owners_token, serve

__all__ = ["admin", "application", "owners_token", "serve"]
