"""Pressed buttons, chosen menu options and submitted forms, and the code that answers each."""
