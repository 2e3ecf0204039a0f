"""The endpoint on loopback: Claude's requests come here, and what the owner asks at the terminal."""

from bot.local_api import owner_routes
from bot.local_api.server import application, owners_token, serve

__all__ = ["application", "owner_routes", "owners_token", "serve"]
