"""The HTTP endpoint on loopback for Claude's requests and for the owner's commands from the terminal."""

from bot.local_api import health, owner_routes, permission_routes
from bot.local_api.server import serve
from bot.local_api.tokens import owner_token

__all__ = ["health", "owner_routes", "owner_token", "permission_routes", "serve"]
