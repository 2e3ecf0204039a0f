"""The HTTP protocol between the bot and permission_mcp."""
