"""Runs `claude` processes and reads their journals, sessions and files."""
