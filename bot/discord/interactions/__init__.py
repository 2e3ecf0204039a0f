"""Responds to pressed buttons, chosen menu options and submitted forms."""
