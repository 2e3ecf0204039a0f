"""Risk: what a person should know about a request before saying yes."""

from bot.risk.assess import unchecked, warnings, warnings_of
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one

__all__ = ["Kind", "Warning", "unchecked", "warnings", "warnings_of"]
