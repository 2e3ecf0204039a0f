"""`python -m bot` is `claude-discord`."""

from bot.cli import main

main()
