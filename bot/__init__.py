"""The bot, which lets people use Claude Code from Discord."""
