"""One process of an agent, with the settings and the session that it runs with."""

from dataclasses import dataclass

from bot.config import Project
from bot.conversations.session import Session
from bot.ports import ClaudeProcess


@dataclass(slots=True, eq=False)
class AgentRun:
    """A process that the agent has started, or that an earlier bot left running."""

    process: ClaudeProcess
    settings: Project
    """The settings it was started with, updated by those it was sent since."""
    session: str | None
    """The session that Claude named last; it can be resumed once Claude has answered in it."""
    session_number: int
    """The thread's `Session.number` when the process started."""
    offset: int = 0
    """How far its journal has been read."""
    event_start: int = 0
    """Where the current event starts in the journal."""
    background_tasks: int = 0
    """How many tasks Claude runs in the background."""

    def keep_session(self, session: Session) -> None:
        """Let the next process resume this one's session, unless the thread has switched to another."""
        if self.session_number == session.number:
            session.keep(self.session)

    def lose_session(self, session: Session) -> None:
        """Let the next process start a new session: Claude no longer knows the one that this process resumed."""
        if self.session_number == session.number:
            session.lose()
