"""How far each channel has been read, in the state file: what came later was missed."""

from bot.store.database import Database


class InboxTable(Database):
    """People's messages, from being heard to being dealt with."""

    def take_in_hand(self, message: int, channel: int) -> bool:
        """Note that a message has come; False if it is being dealt with already."""
        with self._at_once():
            self.see(channel, message)
            return self._insert("in_hand", {"message": message, "channel": channel}, otherwise="OR IGNORE")

    def put_down(self, message: int) -> None:
        """A message has been dealt with."""
        self._db.execute("DELETE FROM in_hand WHERE message = ?", (message,))

    def in_hand(self) -> list[tuple[int, int]]:
        """Messages, with their channels, that have come and not been dealt with; oldest first."""
        rows = self._all("SELECT message, channel FROM in_hand ORDER BY message")
        return [(row["message"], row["channel"]) for row in rows]

    def see(self, channel: int, message: int) -> None:
        """Remember the newest message of a channel that has been heard."""
        self._db.execute(
            "INSERT INTO seen (channel, message) VALUES (?, ?)"
            " ON CONFLICT (channel) DO UPDATE SET message = max(message, excluded.message)",
            (channel, message),
        )

    def seen(self, channel: int) -> int | None:
        row = self._one("SELECT message FROM seen WHERE channel = ?", channel)
        return row["message"] if row else None
