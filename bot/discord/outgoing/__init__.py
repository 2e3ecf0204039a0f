"""What the bot sends to Discord: messages kept up to date in a thread, within the rate limits, without secrets."""
