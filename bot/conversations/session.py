"""The Claude session of a thread: which one the next process resumes, and the thread's own choices."""

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
        """The commands and models that Claude last listed."""
        self.lost = False
        """Claude no longer knows the session: the next one gets a recap of it."""
        self.number = 0
        """Counts the thread's switches between sessions: a process that started before the last one is out of date."""
        self._store = store

    def keep(self, session: str | None) -> None:
        """Remember the session that the next process resumes; None starts a new one."""
        if session != self.record.session or self.record.forks:
            self.record = replace(self.record, session=session, forks=None)
            self._store.set_session(self.record.id, session)

    def switch(self, session: str | None) -> None:
        """Continue with another session or a new one; the ending process can no longer change that."""
        self.number += 1
        self.lost = False
        self.keep(session)

    def lose(self) -> None:
        """Forget a session that Claude no longer knows."""
        self.keep(None)
        self.lost = True

    def choose(self, own: Choices) -> None:
        """Remember the thread's own choices."""
        self.record = replace(self.record, own=own)
        self._store.set_own(self.record.id, own)
