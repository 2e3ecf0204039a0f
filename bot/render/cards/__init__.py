"""The cards of permission requests."""
