"""The rules that people have chosen, in the state file."""

from typing import Any

from bot.permission_requests.rules import Rule, SavedRule
from bot.store.database import Database


class RuleTable(Database):
    """What need not be asked again, since when, and who said so."""

    def add_rule(self, kept: SavedRule) -> None:
        """Keep a rule; its number is given here. The same rule for the same place is kept once."""
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
        return _kept(row) if row else None

    def rules(self, project: str) -> list[SavedRule]:
        """All rules of a project and of its conversations, oldest first."""
        return [_kept(row) for row in self._all("SELECT * FROM rule WHERE project = ? ORDER BY id", project)]

    def remove_rule(self, number: int) -> None:
        self._db.execute("DELETE FROM rule WHERE id = ?", (number,))


def _kept(row: dict[str, Any]) -> SavedRule:
    return SavedRule(
        id=row["id"],
        rule=Rule(row["tool"], row["content"]),
        project=row["project"],
        conversation=row["conversation"],
        made_by=row["made_by"],
        made_at=row["made_at"],
    )
