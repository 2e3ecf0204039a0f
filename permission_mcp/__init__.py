"""The stdio MCP server that `claude` starts; it sends Claude's permission requests to the bot."""
