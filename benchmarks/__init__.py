"""How fast it is, measured beside what the same work costs with nothing of ours in between."""
