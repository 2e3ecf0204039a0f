"""Rules: which "always" a person may choose for a request, in Claude Code's own syntax."""

import hashlib
from dataclasses import dataclass
from enum import Enum
from typing import Any

from shared.protocol import Request


class Scope(Enum):
    CONVERSATION = "conversation"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as the CLI matches it: its matcher knows shells, ours would not."""

    tool: str
    content: str = ""

    def __str__(self) -> str:
        return f"{self.tool}({self.content})" if self.content else self.tool


@dataclass(frozen=True, slots=True)
class Offer:
    """A rule that a person may choose, in plain words."""

    rule: Rule
    scope: Scope
    words: str
    allows: str
    """An example of what would no longer ask."""
    still_asks: str
    """An example of what would."""

    @property
    def id(self) -> str:
        """Name it by what it allows, not by its place, which an upgrade between card and click could change."""
        return f"{self.scope.value}-{hashlib.sha256(str(self.rule).encode()).hexdigest()[:16]}"

    @property
    def permissions(self) -> list[dict[str, Any]]:
        """What the CLI is told now. A rule for the project is kept by us, and passed again at each start."""
        rule = {"toolName": self.rule.tool}
        if self.rule.content:
            rule["ruleContent"] = self.rule.content
        return [{"type": "addRules", "rules": [rule], "behavior": "allow", "destination": "session"}]


def offers(request: Request, folder: str) -> tuple[Offer, ...]:
    """List what may be offered for a request, narrowest first; often nothing."""
    _ = request, folder
    return ()
