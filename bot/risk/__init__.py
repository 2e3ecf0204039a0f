"""Risk: what a person should know about a command, a path or a tool before saying yes."""

from bot.risk.tool_arguments import carries_code, runs_code
from bot.risk.warning_kinds import RiskWarning, WarningKind

__all__ = ["RiskWarning", "WarningKind", "carries_code", "runs_code"]
