"""The names of views (groups of messages that the bot keeps up to date) and of the messages within a view.

They are in the state file, where the next bot finds them, so a released name never changes. The view of a turn is
named after the turn's id, and its texts after their numbers.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameKind:
    """A kind of name: a prefix, followed by the id of what it is about."""

    prefix: str

    def of(self, about: str | int) -> str:
        return f"{self.prefix}{about}"

    def parse(self, name: str) -> str | None:
        """Return what a name is about; None if it is of another kind."""
        return name.removeprefix(self.prefix) if self.covers(name) else None

    def covers(self, name: str) -> bool:
        return name.startswith(self.prefix)


CARD = NameKind("card-")
"""The card of a permission request, by its ticket; a message in a turn's view."""
REMINDER = NameKind("remind-")
"""The view of a ticket's reminder."""
ALLOW_ALL = NameKind("all-")
"""The view of a thread's "Allow all" cards, and each of the cards, by its tool."""
QUEUE_NOTE = NameKind("queue-")
"""The view of a queued prompt's note; as a prefix it covers every note about the queue."""
HELD_NOTE = NameKind("queue-held-")
"""The view of a thread's note about the prompts on hold."""
EDIT_NOTE = NameKind("edit-")
"""The view of the note that a prompt was edited too late."""
FILE = NameKind("file-")
"""The view of a file that Claude has sent, by its tool call."""
TURN_NOTICE = NameKind("line-")
"""The view, in the parent channel, of the line about how a thread's last turn ended."""
PANEL = NameKind("panel-")
"""The view of the panel, by its channel, and each of its messages, by its number."""
CONFIGURATION = NameKind("configuration-")
"""The view of a changed configuration's card, by its channel."""
FAILURE = NameKind("failure-")
"""The view of the note that a thread's conversation failed, by the thread and the time."""
WORKTREE = NameKind("worktree-")
"""The view of the card about an archived thread's worktree, and the card itself, by the worktree's mark."""
