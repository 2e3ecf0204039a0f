"""What the bot hears from Discord: messages, their changes, and the files that come with them."""
