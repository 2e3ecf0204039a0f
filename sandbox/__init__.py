"""Discord and Claude on your own machine, for trying it out and for tests."""
