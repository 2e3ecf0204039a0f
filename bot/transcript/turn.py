"""A turn as it grows, event by event; the same events always make the same turn."""

from collections.abc import Callable, Mapping
from typing import Any

from bot.events import (
    ApiRetry,
    Assistant,
    Block,
    BlockStarted,
    BlockStopped,
    CommandOutput,
    Compacted,
    Event,
    Init,
    MessageDelta,
    MessageStarted,
    PermissionDenied,
    RateLimit,
    Remark,
    Result,
    StatusChange,
    TaskEnded,
    TaskProgress,
    TaskStarted,
    TaskUpdated,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ThinkingDelta,
    ToolUse,
    User,
)
from bot.transcript.call_order import AGENT_TOOLS, begin_unasked, next_unasked
from bot.transcript.items import AnswerText, CallState, Item, Notice, Slot, Thinking, ToolCall, TurnProblem
from bot.transcript.message_blocks import MessageBlocks
from bot.transcript.session_status import PreviousTurn, SessionEvent, SessionStatus
from bot.transcript.subagents import Subagents
from bot.transcript.todos import TodoList
from bot.transcript.tool_calls import ToolCalls
from bot.transcript.turn_items import TurnItems


def starts_turn(event: Event) -> bool:
    """Say whether this event, arriving while no turn is open, is Claude starting one by itself."""
    match event:
        case MessageStarted() | BlockStarted() | TextDelta() | ThinkingDelta() | Assistant():
            return event.parent is None
        case Result():
            return event.is_error and not event.stopped
        case CommandOutput():
            return True
    return False


class Turn:
    """From a prompt, or from Claude's own start, to a `result`."""

    def __init__(
        self, prompted_by: int | None = None, started_at: float = 0.0, previous: PreviousTurn | None = None
    ) -> None:
        before = previous or PreviousTurn()
        self.prompted_by = prompted_by
        self.started_at = started_at
        self.ended: Result | None = None
        self.over = False
        """Nothing more is to come; without `ended`, because the process is gone."""
        self.session = SessionStatus(before.cwd, before.model, before.mode)
        self._before = before
        self._at = started_at
        self._items = TurnItems()
        self._blocks = MessageBlocks(self._items, self.session)
        self._lines: dict[str, list[Item]] = {}
        """What stands in the turn because of each line: a later line may take it back."""
        self._subagents = Subagents()
        self._todos = TodoList(self._items, before.todos)
        self._calls = ToolCalls(self._items, self._subagents, self._todos)
        self._moved = False
        """Claude or a subagent may have entered or left a worktree."""
        self._apply: dict[type[Any], Callable[[Any], None]] = {
            TextDelta: self._blocks.add_text,
            ThinkingDelta: self._blocks.add_thinking,
            BlockStopped: self._blocks.stop,
            MessageStarted: self._message_started,
            MessageDelta: self._message_delta,
            Assistant: self._assistant,
            User: self._user,
            Init: self._session_event,
            StatusChange: self._session_event,
            Compacted: self._session_event,
            ApiRetry: self._session_event,
            RateLimit: self._session_event,
            Remark: self._remark,
            CommandOutput: self._command_output,
            PermissionDenied: self._permission_denied,
            TaskStarted: self._task_started,
            TaskProgress: self._subagents.progressed,
            TaskUpdated: self._task_updated,
            TaskEnded: self._task_ended,
            Result: self._result,
        }

    # --- what there is to show

    @property
    def items(self) -> list[Item]:
        """What there is to show, in order."""
        return self._items.shown

    @property
    def loose(self) -> list[Slot]:
        """Cards whose tool call has not been seen yet: the request can overtake the journal."""
        return self._items.loose

    @property
    def revision(self) -> int:
        """Rises when what already stood changes: text replaced, an item taken back or put in between."""
        return self._items.revision

    @property
    def cost(self) -> float | None:
        """US dollars for this turn alone."""
        if self.ended is None or self.ended.cost is None:
            return None
        before = self._before.cost or 0.0
        return self.ended.cost - before if self.ended.cost >= before else self.ended.cost

    def as_previous(self) -> PreviousTurn:
        """Give what the next turn takes over."""
        session = self.session
        cost = self.ended.cost if self.ended and self.ended.cost is not None else self._before.cost
        return PreviousTurn(session.cwd, session.model, session.mode, cost, tuple(self._todos.todos))

    # --- what the conversation asks and tells

    def apply(self, event: Event, at: float = 0.0) -> None:
        """Take in one event; `at` is when it was read, for what carries no time of its own."""
        self._at = at or self._at
        if take := self._apply.get(type(event)):
            take(event)

    def owns(self, event: Event) -> bool:
        """Say whether the event is about a call or a subagent of this turn, which may have ended before."""
        match event:
            case Assistant(parent=str(parent)) | User(parent=str(parent)):
                return parent in self._subagents
            case User():
                return any(result.tool_use_id in self._calls for result in event.results)
            case TaskStarted() | TaskProgress() | TaskUpdated() | TaskEnded():
                return self._subagents.knows(event)
        return False

    def knows(self, tool_use_id: str) -> bool:
        """Say whether the call was seen, Claude's own or a subagent's."""
        return self._items.knows(tool_use_id)

    def subagent_of(self, tool_use_id: str) -> str | None:
        """Tell what the subagent that makes this call was told to do; None when Claude makes it."""
        return self._subagents.whose(tool_use_id)

    def slot(self, ticket_id: str, tool_use_id: str = "") -> None:
        """Give a ticket's card its place: right below the tool call that it is about."""
        self._items.add_slot(ticket_id, tool_use_id)

    def ticket_of(self, tool_use_id: str) -> str:
        """Give the last ticket that was about a call; empty if there was none."""
        return self._items.ticket_of(tool_use_id)

    def answered(
        self, ticket_id: str, *, allowed: bool = True, at: float = 0.0, edited: Mapping[str, Any] | None = None
    ) -> None:
        """A ticket no longer waits. The time until `at` was the person's, not the tool's; `edited` is what runs."""
        tool_use_id = self._items.call_of(ticket_id)
        if not allowed:
            self._calls.refuse(tool_use_id)
        elif at:
            self._begun(tool_use_id, at)
        if edited is not None:
            self._calls.edit(tool_use_id, edited)

    def passed(self, tool_use_id: str, rule: str, at: float = 0.0) -> None:
        """Nobody was asked about a call: this rule allowed it."""
        self._begun(tool_use_id, at or self._at)
        self._calls.name_rule(tool_use_id, rule)

    def begin_unasked(self, at: float) -> bool:
        """Take calls for running that nobody is asked about; tells whether there were any."""
        begun = [begin_unasked(calls, self._items.asked, at) for calls in self._pending()]
        return any(begun)

    @property
    def next_unasked(self) -> float | None:
        """When the next such call will count as running; None where there is none."""
        times = (next_unasked(calls, self._items.asked) for calls in self._pending())
        return min((at for at in times if at is not None), default=None)

    def may_be_elsewhere(self, folder: str) -> bool:
        """Say whether a command may begin in another folder than this one: Claude enters worktrees without asking."""
        return self._moved or self.session.cwd not in ("", folder)

    def fail(self, sentence: str) -> None:
        """The process is gone or never came to be: no `result` will come, and this is why."""
        self.close()
        self._items.add(TurnProblem("died", sentence))

    def close(self) -> None:
        """Nothing more will come, and nobody needs to be told why."""
        self.over = True
        self._blocks.close()
        self._calls.stop_all(self._at)

    def _pending(self) -> list[list[ToolCall]]:
        """The calls that have not ended, of Claude and of each subagent."""
        return [self._calls.pending, *self._subagents.pending()]

    def _begun(self, tool_use_id: str, at: float) -> None:
        for call in (call for calls in self._pending() for call in calls if call.id == tool_use_id):
            call.state, call.started_at = CallState.RUNNING, at

    # --- Claude's own messages

    def _message_started(self, event: MessageStarted) -> None:
        if event.parent is None:
            self._begin_message(event.message_id)
            self._session_event(event)

    def _message_delta(self, event: MessageDelta) -> None:
        if event.parent is None:
            self._session_event(event)

    def _begin_message(self, message_id: str) -> None:
        if self._blocks.begin_message(message_id):
            self._calls.stop_all(self._at)

    def _assistant(self, event: Assistant) -> None:
        if event.uuid in self._lines:
            return
        if event.parent is not None:
            self._subagent_said(event)
            return
        for uuid in event.supersedes:
            self._items.take_back(self._lines.pop(uuid, ()))
        if event.error:
            text = "\n".join(block.text for block in event.blocks if isinstance(block, TextBlock))
            self._items.add(TurnProblem(event.error, text))
            return
        self._begin_message(event.message_id)
        self._session_event(event)
        shown = [item for block in event.blocks if (item := self._finished(block, event.at or self._at))]
        if event.uuid:
            self._lines[event.uuid] = shown

    def _finished(self, block: Block, at: float) -> Item | None:
        match block:
            case TextBlock(text):
                return self._blocks.finish(text, AnswerText)
            case ThinkingBlock(text):
                return self._blocks.finish(text, Thinking)
            case ToolUse() if block.id not in self._calls:
                self._moved |= _moves(block)
                return self._calls.add(block, at, self._at)
        return None

    def _subagent_said(self, event: Assistant) -> None:
        self._subagents.said(event, self._at)
        for block in event.blocks:
            if isinstance(block, ToolUse):
                self._moved |= _moves(block)
                self._items.add_call(block.id, self._items.last)

    # --- tools, subagents and background commands

    def _user(self, event: User) -> None:
        for result in event.results:
            if event.parent is not None:
                self._subagents.outcome(event.parent, result, self._at)
            else:
                self._calls.add_result(result, event.at or self._at, self._at)

    def _permission_denied(self, event: PermissionDenied) -> None:
        self._calls.refuse(event.tool_use_id)

    def _task_started(self, event: TaskStarted) -> None:
        if agents := self._subagents.started(event, self._at):
            self._items.add(agents)

    def _task_updated(self, event: TaskUpdated) -> None:
        self._subagents.updated(event, self._at)

    def _task_ended(self, event: TaskEnded) -> None:
        about_agent = self._subagents.ended(event, self._at)
        if event.summary and not (about_agent or event.ambient or self.over):
            self._items.add(Notice(event.summary))

    # --- the session, and the end

    def _session_event(self, event: SessionEvent) -> None:
        if notice := self.session.take(event, self._at):
            self._items.add(notice)

    def _remark(self, event: Remark) -> None:
        for uuid in event.retracted:
            self._items.take_back(self._lines.pop(uuid, ()))
        if event.text and event.level != "info" and not self.over:
            self._items.add(Notice(event.text))

    def _command_output(self, event: CommandOutput) -> None:
        if event.text:
            self._items.add(AnswerText([event.text], done=True))

    def _result(self, event: Result) -> None:
        self.close()
        self.ended = event
        for denial in event.denials:
            self._calls.deny(denial.tool_use_id, self._at)
        if event.stopped:
            return
        if event.is_error:
            if not any(isinstance(item, TurnProblem) for item in self.items):
                reason = event.terminal_reason if event.terminal_reason != "completed" else ""
                self._items.add(TurnProblem(reason or event.subtype, event.text or "\n".join(event.errors)))
        elif event.text and not any(isinstance(item, AnswerText) for item in self.items):
            self._items.add(AnswerText([event.text], done=True))


def _moves(use: ToolUse) -> bool:
    """Say whether this call may take Claude, or a subagent, into a worktree."""
    return use.name in ("EnterWorktree", "ExitWorktree") or (use.name in AGENT_TOOLS and "isolation" in use.input)
