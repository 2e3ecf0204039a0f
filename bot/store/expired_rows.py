"""Deletes old runs from the state file."""

from bot.store.database import Database

_EXPIRED = "SELECT id FROM run WHERE ended_at < ?"


class Expiry(Database):
    """Deletes old runs; conversations and the audit log stay."""

    def forget_before(self, moment: float) -> None:
        """Delete runs that ended before a moment, with their turns, closed tickets and sent messages."""
        with self._transaction():
            turns = f"SELECT id FROM turn WHERE run IN ({_EXPIRED})"  # noqa: S608 - constants only
            for statement in (
                f"DELETE FROM standing WHERE view IN ({turns})",  # noqa: S608
                f"DELETE FROM ticket WHERE state != 'open' AND run IN ({_EXPIRED})",  # noqa: S608
                f"DELETE FROM turn WHERE run IN ({_EXPIRED})",  # noqa: S608
                "DELETE FROM prompt WHERE state IN ('done', 'dropped') AND at < ?",
                "DELETE FROM run WHERE ended_at < ?",
            ):
                self._db.execute(statement, (moment,))

    def runs(self) -> frozenset[str]:
        """Return the ids of all runs in the state file; the folders of other runs can be deleted."""
        return frozenset(row["id"] for row in self._all("SELECT id FROM run"))
