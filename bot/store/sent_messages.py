"""The messages that the bot has sent, in the state file."""

from bot.message_names import CARD, QUEUE_NOTE
from bot.sent_message import MessageState, SentMessage
from bot.store.database import Database
from bot.store.sent_message_rows import IN_DOUBT, from_row, to_row


class SentMessageTable(Database):
    """Stores what each message shows, as last sent."""

    def save_sent(self, sent: SentMessage) -> None:
        self._insert("standing", to_row(sent), otherwise="OR REPLACE")

    def replace_sent(self, sent: SentMessage, state: MessageState) -> bool:
        """Save a message's new state; return False if it has changed since `sent` was read."""
        old, new = to_row(sent), to_row(sent.becomes(state))
        cursor = self._db.execute(
            "UPDATE standing SET message = ?, digest = ? WHERE view = ? AND key = ? AND message = ? AND digest = ?",
            (new["message"], new["digest"], *(old[name] for name in ("view", "key", "message", "digest"))),
        )
        return cursor.rowcount > 0

    def sent_in(self, view: str) -> list[SentMessage]:
        return [from_row(row) for row in self._all("SELECT * FROM standing WHERE view = ? ORDER BY message", view)]

    def sent_as(self, message: int) -> SentMessage | None:
        """Return what a message in Discord shows; None if it is not known."""
        row = self._one("SELECT * FROM standing WHERE message = ?", message)
        return from_row(row) if row else None

    def message_of_card(self, ticket: str) -> int:
        """Return the message of a ticket's card; 0 if there is none."""
        row = self._one("SELECT message FROM standing WHERE key = ? AND message > 0", CARD.of(ticket))
        return int(row["message"]) if row else 0

    def unsettled(self, channel: int) -> list[SentMessage]:
        """Return what a crashed bot may have left half done: queue notes, and messages that it was sending."""
        rows = self._all(
            f"SELECT * FROM standing WHERE channel = ? AND ({IN_DOUBT} OR view LIKE ?)",  # noqa: S608 - constants only
            channel,
            QUEUE_NOTE.of("%"),
        )
        return [from_row(row) for row in rows]

    def forget_sent(self, view: str, key: str) -> None:
        self._db.execute("DELETE FROM standing WHERE view = ? AND key = ?", (view, key))
