"""Sends messages to Discord and keeps them up to date, within the rate limits and without secrets."""
