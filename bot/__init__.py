"""The bot: Discord on one side, Claude on the other, a person in between."""
