"""Replies to slash commands, and the panel."""
