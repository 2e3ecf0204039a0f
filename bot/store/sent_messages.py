"""What stands in Discord, in the state file."""

from dataclasses import asdict

from bot.records import BEING_ANSWERED, Standing
from bot.store.database import Database


class StandingTable(Database):
    """Which message shows what, as it was last sent."""

    def stand(self, standing: Standing) -> None:
        self._insert("standing", asdict(standing), otherwise="OR REPLACE")

    def got_through(self, answer: Standing) -> None:
        """The answer to a click has arrived; an edit that was under way may have come after it: then that counts."""
        looks = answer.digest.removeprefix(BEING_ANSWERED)
        self._db.execute(
            "UPDATE standing SET digest = ? WHERE view = ? AND key = ? AND digest = ?",
            (looks, answer.view, answer.key, answer.digest),
        )

    def standing(self, view: str) -> list[Standing]:
        return [Standing(**row) for row in self._all("SELECT * FROM standing WHERE view = ? ORDER BY message", view)]

    def standing_message(self, message: int) -> Standing | None:
        row = self._one("SELECT * FROM standing WHERE message = ?", message)
        return Standing(**row) if row else None

    def unsettled(self, channel: int) -> list[Standing]:
        """What a bot that died may have left half done: notes of the queue, and what it was about to send."""
        rows = self._all(
            "SELECT * FROM standing WHERE channel = ? AND (digest = '' OR view LIKE 'queue-%')",
            channel,
        )
        return [Standing(**row) for row in rows]

    def fall(self, view: str, key: str) -> None:
        self._db.execute("DELETE FROM standing WHERE view = ? AND key = ?", (view, key))
