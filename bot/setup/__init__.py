"""From nothing to a bot that answers, and what is wrong when it does not."""
