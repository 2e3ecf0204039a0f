"""The Claude session of a thread: which one the next process resumes, and what was chosen for it."""

from dataclasses import replace
from typing import Protocol

from bot.config import Choices
from bot.conversation_status import Capabilities
from bot.records import ConversationRecord


class SessionStore(Protocol):
    def set_session(self, conversation: int, session: str | None) -> None: ...
    def set_own(self, conversation: int, own: Choices) -> None: ...


class Session:
    """A thread's record, kept in the store."""

    def __init__(self, record: ConversationRecord, store: SessionStore) -> None:
        self.record = record
        self.capabilities = Capabilities()
        """What Claude last told about itself."""
        self.lost = False
        """Claude no longer knows the session: the next one is told what was said in it."""
        self.renewals = 0
        """How often the thread was given another session: what a process from before that says is out of date."""
        self._store = store

    def keep(self, session: str | None) -> None:
        """Remember the session that the next process resumes; None: it begins a new one."""
        if session != self.record.session or self.record.forks:
            self.record = replace(self.record, session=session, forks=None)
            self._store.set_session(self.record.id, session)

    def renew(self, session: str | None) -> None:
        """Go on with another session, or with a new one, whatever the process that ends says of its own."""
        self.renewals += 1
        self.lost = False
        self.keep(session)

    def lose(self) -> None:
        """Forget a session that Claude no longer knows."""
        self.keep(None)
        self.lost = True

    def choose(self, own: Choices) -> None:
        """Keep what was chosen for this thread."""
        self.record = replace(self.record, own=own)
        self._store.set_own(self.record.id, own)
