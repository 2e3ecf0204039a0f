"""The interfaces that a conversation needs: a Discord channel, a machine with `claude`, and a store."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bot.config import Choices
from bot.decisions.allow_by_rule import RuleDecisionStore
from bot.events import Event, ProcessExit
from bot.messages import File, Message
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.ticket import Ticket
from bot.records import Prompt, PromptState, RunRecord, TurnRecord
from bot.sent_message import SentMessage


class Channel(Protocol):
    """A thread in Discord: callers say what it should show, and it sends, edits and deletes messages."""

    def show(self, view: str, messages: Callable[[], Sequence[Message]]) -> None:
        """Show these messages in this view; `messages` is called when there is time to send them."""

    def amend(self, view: str, message: Message) -> None:
        """Change only the message with this key in a view."""

    def working(self, *, on: bool) -> None:
        """Turn the typing indicator on or off."""

    def once_shown(self, view: str, then: Callable[[], None]) -> None:
        """Call `then` once Discord shows the view's current messages."""

    def trouble(self) -> "Trouble | None":
        """Return why Discord can't show this thread; None if it can."""

    async def settled(self) -> None:
        """Wait until Discord shows everything."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why nothing can be shown, and for how many seconds that has been so."""

    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Launch:
    """Everything needed to start a run."""

    run: str
    token: str
    folder: Path
    session: str
    resume: bool
    arguments: tuple[str, ...] = ()
    conversation: int = 0
    """The run's conversation; it may read what people attach there."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables from the project, in addition to the user's environment."""


class ClaudeProcess(Protocol):
    """A `claude` process."""

    @property
    def id(self) -> str: ...
    @property
    def pid(self) -> int | None: ...
    @property
    def started(self) -> float | None:
        """The process's start time, as the operating system reports it."""

    @property
    def listens(self) -> bool:
        """Whether it accepts input; one that outlived the bot that started it can only be read."""

    @property
    def exit(self) -> ProcessExit:
        """How it ended; only valid once it has."""

    def events(self, offset: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Yield each event with the journal's offset after it, until the process has ended."""

    async def say(self, content: Sequence[Mapping[str, Any]], uuid: str) -> None: ...
    async def interrupt(self) -> None: ...
    async def control(self, subtype: str, within: float = 10.0, **fields: Any) -> Mapping[str, Any]: ...
    def finish(self) -> None:
        """Close its input, so that it ends after its current turn."""

    async def end(self) -> None:
        """End it and everything it started."""

    async def flush(self) -> bool:
        """Wait until everything sent to it is written; return False if it accepts no input."""

    def hand_over(self) -> int | None:
        """Return the descriptor with which the next bot can write to it; None if that isn't possible."""


@dataclass(frozen=True, slots=True)
class ReadScope:
    """What may be read of a file: the folders that Claude reads without asking, and whether to read the content."""

    folder: Path
    """The folder that Claude works in."""
    others: tuple[Path, ...] = ()
    content: bool = True
    """Whether the file's content is needed, or only where its path leads."""


class Host(Protocol):
    """A machine that Claude runs on: starts `claude` processes there and reads the files that they see."""

    def run(self, launch: Launch) -> AbstractAsyncContextManager[ClaudeProcess]: ...
    def adopt(self, record: RunRecord) -> AbstractAsyncContextManager[ClaudeProcess]:
        """Continue a run that outlived the bot that started it."""

    def attachments(self, conversation: int) -> Path:
        """Return the folder of the files that people attach in a conversation, which Claude may read too."""

    def look_at(self, path: str, scope: ReadScope, known: FileSnapshot | None = None) -> FileSnapshot:
        """Read a file that Claude wants to change or read; return `known` itself if the file is unchanged."""

    def agents_work_apart(self, folder: Path) -> bool:
        """Check whether a subagent may work in a different folder from this one."""

    def sendable(self, path: str, folder: Path) -> File | str:
        """Return a file that Claude wants to send from this folder, or a sentence about why it may not be sent."""

    def image(self, path: str) -> Mapping[str, Any]:
        """Return an image as a content block."""


class ConversationStore(RuleDecisionStore, Protocol):
    """The part of the state file that a conversation uses."""

    def set_session(self, conversation: int, session: str | None) -> None: ...
    def set_own(self, conversation: int, own: Choices) -> None: ...
    def add_run(self, record: RunRecord) -> None: ...
    def set_process(self, run: str, pid: int, pid_started: float | None) -> None: ...
    def end_run(self, run: str, at: float) -> None: ...
    def live_runs(self, conversation: int) -> list[RunRecord]: ...
    def add_prompt(self, prompt: Prompt) -> bool: ...
    def set_prompt(self, prompt: int, state: PromptState) -> None: ...
    def prompt(self, prompt: int) -> Prompt | None: ...
    def last_prompt(self, conversation: int) -> Prompt | None: ...
    def revise_prompt(self, prompt: int, text: str) -> None: ...
    def schedule(self, prompts: Sequence[int], after: float) -> None: ...
    def waiting_prompts(self, conversation: int) -> list[Prompt]: ...
    def add_turn(self, turn: TurnRecord) -> None: ...
    def end_turn(self, turn: str, offset: int, prompt: int | None = None, state: PromptState = "done") -> None: ...
    def set_cost(self, turn: str, cost: float) -> None: ...
    def set_shown(self, turn: str, *, shown: bool) -> None: ...
    def last_prompted_turns(self, conversation: int, most: int) -> list[tuple[TurnRecord, str]]: ...
    def unshown_turns(self, conversation: int) -> list[TurnRecord]: ...
    def unsettled(self, channel: int) -> list[SentMessage]: ...
    def message_of_card(self, ticket: str) -> int: ...
    def turns(self, run: str) -> list[TurnRecord]: ...
    def ticket(self, ticket: str) -> Ticket | None: ...
    def open_tickets(self, conversation: int) -> list[Ticket]: ...
    def view_of_ticket(self, ticket: str) -> str | None: ...
    def tickets_of(self, turn: str) -> list[Ticket]: ...
