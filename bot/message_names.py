"""The names of the messages that the bot keeps up to date: of their views, and of the messages within a view.

They stand in the state file, where the next bot finds them: what was released is never changed. A view that shows
a turn is named by the turn's id, and its texts by their numbers.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameKind:
    """A kind of name: how it begins; what it is about follows."""

    prefix: str

    def of(self, about: str | int) -> str:
        return f"{self.prefix}{about}"

    def parse(self, name: str) -> str | None:
        """Give what a name is about; None if it is of another kind."""
        return name.removeprefix(self.prefix) if self.covers(name) else None

    def covers(self, name: str) -> bool:
        return name.startswith(self.prefix)


CARD = NameKind("card-")
"""The card of a permission request, by its ticket; it is a message of a turn's view."""
REMINDER = NameKind("remind-")
"""The view of a ticket's reminder."""
ALLOW_ALL = NameKind("all-")
"""The view of a thread's "Allow all" cards; each of them, by its tool."""
QUEUE_NOTE = NameKind("queue-")
"""The view of a note about the queue; with nothing more, that of a queued prompt's note."""
HELD_NOTE = NameKind("queue-held-")
"""The view of a thread's note about the prompts that are on hold."""
EDIT_NOTE = NameKind("edit-")
"""The view of the note that a prompt was edited too late."""
FILE = NameKind("file-")
"""The view of a file that Claude has sent, by its tool call."""
TURN_NOTICE = NameKind("line-")
"""The view, in a thread's channel, of how the thread's last turn ended."""
PANEL = NameKind("panel-")
"""The view of the panel, by its channel; each of its messages, by its number."""
CONFIGURATION = NameKind("configuration-")
"""The view of a changed configuration's card, by its channel."""
WORKTREE = NameKind("worktree-")
"""The view of the card about an archived thread's worktree; the card itself, by the worktree's mark."""
