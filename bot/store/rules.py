"""The rules for requests that are allowed automatically, in the state file."""

from typing import Any

from bot.permission_requests.rules import Rule, SavedRule
from bot.store.database import Database


class RuleTable(Database):
    """Stores rules, with who added them and when."""

    def add_rule(self, kept: SavedRule) -> None:
        """Add a rule, unless the same rule exists in the same place; the database assigns its number."""
        if any(
            (known.rule, known.conversation) == (kept.rule, kept.conversation) for known in self.rules(kept.project)
        ):
            return
        self._insert(
            "rule",
            {
                "project": kept.project,
                "conversation": kept.conversation,
                "tool": kept.rule.tool,
                "content": kept.rule.content,
                "made_by": kept.made_by,
                "made_at": kept.made_at,
            },
        )

    def rule(self, number: int) -> SavedRule | None:
        row = self._one("SELECT * FROM rule WHERE id = ?", number)
        return _saved_rule(row) if row else None

    def rules(self, project: str) -> list[SavedRule]:
        """Return all rules of a project and of its conversations, oldest first."""
        return [_saved_rule(row) for row in self._all("SELECT * FROM rule WHERE project = ? ORDER BY id", project)]

    def remove_rule(self, number: int) -> None:
        self._db.execute("DELETE FROM rule WHERE id = ?", (number,))


def _saved_rule(row: dict[str, Any]) -> SavedRule:
    return SavedRule(
        id=row["id"],
        rule=Rule(row["tool"], row["content"]),
        project=row["project"],
        conversation=row["conversation"],
        made_by=row["made_by"],
        made_at=row["made_at"],
    )
