"""What the bot and permission_mcp agree on."""
