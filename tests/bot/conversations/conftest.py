"""A bot with a scripted `claude` whose turns wait, break off or ask."""

from tests.fixtures.conversation_setup import go, let_go, setup

__all__ = ["go", "let_go", "setup"]
