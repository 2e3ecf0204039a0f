"""Discord's limits on what a bot sends, with Discord's errors."""
