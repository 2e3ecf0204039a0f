"""Text as Discord draws it: split, escaped, and with nothing hidden in it."""
