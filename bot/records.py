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
    """What was chosen in this thread."""
    parent: int | None = None
    """The channel that its thread belongs to; None where the conversation has a channel to itself."""
    forks: str | None = None
    """The session of which it goes on with a copy, until it has one of its own."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One life of a `claude` process."""

    id: str
    conversation: int
    token_hash: str
    started_at: float
    pid: int | None = None
    pid_started: float | None = None
    """The process's own start time: a pid alone may have been given to another."""
    ended_at: float | None = None


HELD = math.inf
"""The time after which a prompt on hold runs: never by itself, not even after a restart."""

PromptState = Literal["queued", "sent", "done", "dropped"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a person told Claude."""

    id: int
    """The Discord message in which it was said."""
    conversation: int
    author: int
    text: str
    at: float
    files: tuple[str, ...] = ()
    """What goes along, as paths in the state folder."""
    state: PromptState = "queued"
    after: float = 0.0
    """It does not run before this time."""

    @property
    def is_command(self) -> bool:
        """Whether it is one of Claude's own slash commands."""
        return self.text.startswith("/")


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """From a prompt, or from Claude's own start, to a `result`."""

    id: str
    conversation: int
    run: str
    offset: int
    """Where in the run's journal it begins."""
    started_at: float
    prompt: int | None = None
    prompted_by: int | None = None
    end: int | None = None
    """Where it ends; None while it goes on. A turn that ends where it begins was taken back: it shows nothing."""
    shown: bool = False
    """It has ended, and its end stands in Discord."""
    cost: float | None = None
    """US dollars, where the CLI told."""

    @property
    def requeued(self) -> bool:
        """Whether its prompt was never taken; a turn without a run is one for which Claude could not start."""
        return self.run != "" and self.end == self.offset
