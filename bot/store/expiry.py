"""What is old enough to be forgotten, in the state file."""

from bot.store.database import Database

_EXPIRED = "SELECT id FROM run WHERE ended_at < ?"


class Expiry(Database):
    """Lets old runs go; conversations stay, and so does the record of decisions."""

    def forget_before(self, moment: float) -> None:
        """Forget runs that ended before a moment, with their turns, closed tickets and what they left in Discord."""
        with self._at_once():
            turns = f"SELECT id FROM turn WHERE run IN ({_EXPIRED})"  # noqa: S608 - no words of anybody's
            for statement in (
                f"DELETE FROM standing WHERE view IN ({turns})",  # noqa: S608
                f"DELETE FROM ticket WHERE state != 'open' AND run IN ({_EXPIRED})",  # noqa: S608
                f"DELETE FROM turn WHERE run IN ({_EXPIRED})",  # noqa: S608
                "DELETE FROM prompt WHERE state IN ('done', 'dropped') AND at < ?",
                "DELETE FROM run WHERE ended_at < ?",
            ):
                self._db.execute(statement, (moment,))

    def runs(self) -> frozenset[str]:
        """Name every run that is still remembered: the folders of all others can go."""
        return frozenset(row["id"] for row in self._all("SELECT id FROM run"))
