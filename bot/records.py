"""The records that the bot keeps in its state file: conversations, runs, prompts and turns."""

import math
from dataclasses import dataclass, field
from typing import Literal

from bot.config import Choices


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """A Discord thread (or channel) and the Claude session behind it."""

    id: int
    """The thread's own id."""
    project: str
    title: str
    created_at: float
    session: str | None = None
    """Claude's session, once it has one to resume."""
    own: Choices = field(default_factory=Choices)
    """This thread's own choices."""
    parent: int | None = None
    """The channel that its thread belongs to; None if the conversation has a channel to itself."""
    forks: str | None = None
    """The session that it continues a copy of, until it has one of its own."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One life of a `claude` process."""

    id: str
    conversation: int
    token_hash: str
    started_at: float
    pid: int | None = None
    pid_started: float | None = None
    """The process's start time: the pid alone may have been reused."""
    ended_at: float | None = None


HELD = math.inf
"""The `after` of a prompt on hold: it never runs by itself, not even after a restart."""

PromptState = Literal["queued", "sent", "done", "dropped"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A person's message to Claude."""

    id: int
    """The id of the Discord message."""
    conversation: int
    author: int
    text: str
    at: float
    files: tuple[str, ...] = ()
    """The attachments, as paths in the state folder."""
    state: PromptState = "queued"
    after: float = 0.0
    """It does not run before this time."""

    @property
    def is_command(self) -> bool:
        """Whether it is one of Claude's own slash commands."""
        return self.text.startswith("/")


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn: from a prompt, or from where Claude started by itself, to a `result`."""

    id: str
    conversation: int
    run: str
    offset: int
    """Where it begins in the run's journal."""
    started_at: float
    prompt: int | None = None
    prompted_by: int | None = None
    end: int | None = None
    """Where it ends; None while it is running. If it ends where it begins, its prompt was queued again."""
    shown: bool = False
    """It has ended, and its end is in Discord."""
    cost: float | None = None
    """US dollars; None if the CLI did not say."""

    @property
    def requeued(self) -> bool:
        """Whether its prompt was queued again. (A turn without a run is one for which Claude could not start.)"""
        return self.run != "" and self.end == self.offset
