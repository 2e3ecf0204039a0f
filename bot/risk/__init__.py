"""Risk: what a person should know about a request before saying yes."""

from bot.risk.assess import unchecked, warnings, warnings_of
from bot.risk.kinds import Kind, Warning  # noqa: A004 - it is one
from bot.risk.tools import carries_code, runs_code

__all__ = ["Kind", "Warning", "carries_code", "runs_code", "unchecked", "warnings", "warnings_of"]
