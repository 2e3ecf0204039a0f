"""Risk: what a person should know about a command, a path or a tool before saying yes."""

from bot.risk.tool_warnings import carries_code, runs_code
from bot.risk.warning_kinds import Kind, Warning  # noqa: A004 - it is one

__all__ = ["Kind", "Warning", "carries_code", "runs_code"]
