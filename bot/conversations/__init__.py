"""Conversations: each has one thread, one Claude session and at most one process at a time."""
