"""The Discord adapter: hikari and lightbulb, and nothing of them outside this room."""
