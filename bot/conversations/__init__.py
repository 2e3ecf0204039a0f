"""Conversations: one thread, one session, one process at a time."""
