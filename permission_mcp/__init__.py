"""The stdio MCP server that `claude` starts: it passes Claude's permission requests to the bot."""
