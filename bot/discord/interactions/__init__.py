"""Pressed buttons, chosen menu options and submitted forms, each brought to the code that answers it."""
