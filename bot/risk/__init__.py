"""Finds the warnings about a request: what people should know before they allow it."""

from bot.risk.tool_arguments import carries_code, runs_code
from bot.risk.warning_kinds import RiskWarning, WarningKind

__all__ = ["RiskWarning", "WarningKind", "carries_code", "runs_code"]
