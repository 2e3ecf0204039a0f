"""Pure functions that draw Discord messages: cards, replies and Claude's turns."""
