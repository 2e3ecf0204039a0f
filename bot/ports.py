"""What a conversation needs around it: a channel in Discord, a `claude`, a store that outlives the bot."""

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
    """A thread in Discord; it is told what it should look like, and does the rest."""

    def show(self, view: str, messages: Callable[[], Sequence[Message]]) -> None:
        """Show these messages in this view; `messages` is called when there is time to send them."""

    def amend(self, view: str, message: Message) -> None:
        """Change only the message with this key in a view."""

    def working(self, *, on: bool) -> None:
        """Turn the typing indicator on or off."""

    def once_shown(self, view: str, then: Callable[[], None]) -> None:
        """Call this when Discord shows the view as it was last given."""

    def trouble(self) -> "Trouble | None":
        """Say why Discord can't show this thread; None if it can."""

    async def settled(self) -> None:
        """Wait until Discord shows everything."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why nothing can be shown, and for how many seconds that has been so."""

    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a run."""

    run: str
    token: str
    folder: Path
    session: str
    resume: bool
    arguments: tuple[str, ...] = ()
    conversation: int = 0
    """The conversation it belongs to; the run may read what people attach there."""
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
        """The process's start time, as the system tells it."""

    @property
    def listens(self) -> bool:
        """Whether it can be spoken to; one that outlived the bot that started it can only be read."""

    @property
    def exit(self) -> ProcessExit:
        """How it ended; asked once it has."""

    def events(self, offset: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Yield each event with the journal's offset behind it, until the process has ended."""

    async def say(self, content: Sequence[Mapping[str, Any]], uuid: str) -> None: ...
    async def interrupt(self) -> None: ...
    async def control(self, subtype: str, within: float = 10.0, **fields: Any) -> Mapping[str, Any]: ...
    def finish(self) -> None:
        """Let it come to its end: no more prompts."""

    async def end(self) -> None:
        """End it now, and everything it started."""

    async def flush(self) -> bool:
        """Wait until all that was said to it is written; False when it can't be spoken to."""

    def hand_over(self) -> int | None:
        """Give a descriptor through which the next bot goes on speaking to it; None where it can't."""


@dataclass(frozen=True, slots=True)
class ReadScope:
    """How far a look at a file goes: the folders in which Claude reads without asking."""

    folder: Path
    """The one that it works in."""
    others: tuple[Path, ...] = ()
    content: bool = True
    """Whether what stands in the file is wanted, or only where its path leads."""


class Host(Protocol):
    """A machine that Claude runs on: starts `claude` processes there, and sees the files that they see."""

    def run(self, launch: Launch) -> AbstractAsyncContextManager[ClaudeProcess]: ...
    def adopt(self, record: RunRecord) -> AbstractAsyncContextManager[ClaudeProcess]:
        """Take up a run that outlived the bot that started it."""

    def attachments(self, conversation: int) -> Path:
        """Name the folder of what people attach in a conversation: Claude reads there too."""

    def look_at(self, path: str, scope: ReadScope, known: FileSnapshot | None = None) -> FileSnapshot:
        """Look at a file that Claude would change or read; gives `known` itself where nothing has happened since."""

    def agents_work_apart(self, folder: Path) -> bool:
        """Say whether a subagent may work in another folder than this one."""

    def sendable(self, path: str, folder: Path) -> File | str:
        """Give a file that Claude wants to send from this folder, or a sentence about why it may not be sent."""

    def image(self, path: str) -> Mapping[str, Any]:
        """Give an image as a content block."""


class ConversationStore(RuleDecisionStore, Protocol):
    """What a conversation remembers in the state file."""

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
