"""The replies to slash commands, and the panel."""
