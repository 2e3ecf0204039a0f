"""Remembers which messages were handled and how far each channel was read, to find missed messages."""

from bot.store.database import Database


class InboxTable(Database):
    """The messages that were received and are not handled yet, and the last one of each channel."""

    def start_handling(self, message: int, channel: int) -> bool:
        """Mark a message as being handled; return False if it already is."""
        with self._transaction():
            self.mark_seen(channel, message)
            return self._insert("in_hand", {"message": message, "channel": channel}, otherwise="OR IGNORE")

    def finish_handling(self, message: int) -> None:
        """Mark a message as handled."""
        self._db.execute("DELETE FROM in_hand WHERE message = ?", (message,))

    def unfinished_messages(self) -> list[tuple[int, int]]:
        """Return the messages that are not handled yet, with their channels, oldest first."""
        rows = self._all("SELECT message, channel FROM in_hand ORDER BY message")
        return [(row["message"], row["channel"]) for row in rows]

    def mark_seen(self, channel: int, message: int) -> None:
        """Remember the newest message received in a channel."""
        self._db.execute(
            "INSERT INTO seen (channel, message) VALUES (?, ?)"
            " ON CONFLICT (channel) DO UPDATE SET message = max(message, excluded.message)",
            (channel, message),
        )

    def last_seen(self, channel: int) -> int | None:
        row = self._one("SELECT message FROM seen WHERE channel = ?", channel)
        return row["message"] if row else None
