"""The Discord adapter: hikari and lightbulb are used only here and in app.py."""
