"""One process of an agent, from its start to its end, and what is known of it."""

from dataclasses import dataclass

from bot.config import Project
from bot.conversations.session import Session
from bot.ports import ClaudeProcess


@dataclass(slots=True, eq=False)
class AgentRun:
    """A process that the agent has started, or that an earlier bot left running."""

    process: ClaudeProcess
    settings: Project
    """Those that it was started with, or has been told of since."""
    session: str | None
    """The session that Claude named last; it can be resumed once Claude has answered in it."""
    renewals: int
    """Which of the thread's sessions it began with."""
    offset: int = 0
    """How far its journal is read."""
    event_start: int = 0
    """Where the event begins that is being taken."""
    background_tasks: int = 0
    """How many tasks go on in it beside its turn."""

    def keep_session(self, session: Session) -> None:
        """Have the next process resume this one's session, unless the thread was given another meanwhile."""
        if self.renewals == session.renewals:
            session.keep(self.session)

    def lose_session(self, session: Session) -> None:
        """Have the next process begin a new session: Claude no longer knows the one that this one resumed."""
        if self.renewals == session.renewals:
            session.lose()
