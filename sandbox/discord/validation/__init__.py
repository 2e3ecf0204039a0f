"""Discord's limits on what a bot sends, with the errors that Discord answers."""
