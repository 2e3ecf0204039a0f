"""Decisions on permission requests: who makes them, which rules they leave, and reminders while none is made."""
