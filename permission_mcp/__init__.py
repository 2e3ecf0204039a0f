"""The stdio MCP server that `claude` starts: it asks the bot, waits, and answers."""
