"""A Discord and a scripted Claude on your own machine, for trying the bot and for tests."""
