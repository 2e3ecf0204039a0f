"""A turn, built event by event. The same events always produce the same turn."""

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
from bot.transcript.call_order import AGENT_TOOLS, next_unasked_at, start_unasked
from bot.transcript.items import AnswerText, CallState, Item, Notice, Slot, Thinking, ToolCall, TurnProblem
from bot.transcript.message_blocks import MessageBlocks
from bot.transcript.session_status import PreviousTurn, SessionEvent, SessionStatus
from bot.transcript.subagents import Subagents
from bot.transcript.todos import TodoList
from bot.transcript.tool_calls import ToolCalls
from bot.transcript.turn_items import TurnItems


def starts_turn(event: Event) -> bool:
    """Check whether this event means that Claude starts a turn on its own. Only called while no turn is open."""
    match event:
        case MessageStarted() | BlockStarted() | TextDelta() | ThinkingDelta() | Assistant():
            return event.parent is None
        case Result():
            return event.is_error and not event.stopped
        case CommandOutput():
            return True
    return False


class Turn:
    """A turn starts with a prompt, or on Claude's own initiative, and ends with a `result`."""

    def __init__(
        self, prompted_by: int | None = None, started_at: float = 0.0, previous: PreviousTurn | None = None
    ) -> None:
        before = previous or PreviousTurn()
        self.prompted_by = prompted_by
        self.started_at = started_at
        self.ended: Result | None = None
        self.over = False
        """Whether the turn is complete. If `ended` is None, the process is gone."""
        self.session = SessionStatus(before.cwd, before.model, before.mode)
        self._before = before
        self._at = started_at
        self._items = TurnItems()
        self._blocks = MessageBlocks(self._items, self.session)
        self._items_of_line: dict[str, list[Item]] = {}
        """The items of each line, because a later line may retract them."""
        self._subagents = Subagents()
        self._todos = TodoList(self._items, before.todos)
        self._calls = ToolCalls(self._items, self._subagents, self._todos)
        self._moved = False
        """Whether Claude or a subagent may have entered or left a worktree."""
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

    # --- what to show

    @property
    def items(self) -> list[Item]:
        """The items to show, in order."""
        return self._items.shown

    @property
    def unplaced(self) -> list[Slot]:
        """Cards whose tool call has not been seen yet: a request can arrive before its line in the journal."""
        return self._items.unplaced

    @property
    def revision(self) -> int:
        """Increases when earlier items change: text is replaced, or an item is removed or inserted."""
        return self._items.revision

    @property
    def cost(self) -> float | None:
        """US dollars for this turn alone."""
        if self.ended is None or self.ended.cost is None:
            return None
        before = self._before.cost or 0.0
        return self.ended.cost - before if self.ended.cost >= before else self.ended.cost

    def as_previous(self) -> PreviousTurn:
        """Return the values that the next turn takes over."""
        session = self.session
        cost = self.ended.cost if self.ended and self.ended.cost is not None else self._before.cost
        return PreviousTurn(session.cwd, session.model, session.mode, cost, tuple(self._todos.todos))

    # --- called by the conversation

    def apply(self, event: Event, at: float = 0.0) -> None:
        """Apply an event. `at` is when it was read, for events without a timestamp."""
        self._at = at or self._at
        if take := self._apply.get(type(event)):
            take(event)

    def owns(self, event: Event) -> bool:
        """Check whether the event is about a call or subagent of this turn, even if the turn has ended."""
        match event:
            case Assistant(parent=str(parent)) | User(parent=str(parent)):
                return parent in self._subagents
            case User():
                return any(result.tool_use_id in self._calls for result in event.results)
            case TaskStarted() | TaskProgress() | TaskUpdated() | TaskEnded():
                return self._subagents.knows(event)
        return False

    def knows(self, tool_use_id: str) -> bool:
        """Check whether a call of Claude or a subagent was seen."""
        return self._items.knows(tool_use_id)

    def subagent_of(self, tool_use_id: str) -> str | None:
        """Return the task of the subagent that makes this call; None if Claude makes it."""
        return self._subagents.description_of(tool_use_id)

    def place_card(self, ticket_id: str, tool_use_id: str = "") -> None:
        """Place a ticket's card right below its tool call."""
        self._items.place_card(ticket_id, tool_use_id)

    def ticket_of(self, tool_use_id: str) -> str:
        """Return the last ticket of a call; empty if there is none."""
        return self._items.ticket_of(tool_use_id)

    def answered(
        self, ticket_id: str, *, allowed: bool = True, at: float = 0.0, edited: Mapping[str, Any] | None = None
    ) -> None:
        """Record the answer to a ticket. The tool starts at `at`, and `edited` is the input that a person changed."""
        tool_use_id = self._items.call_of(ticket_id)
        if not allowed:
            self._calls.refuse(tool_use_id)
        elif at:
            self._mark_running(tool_use_id, at)
        if edited is not None:
            self._calls.edit(tool_use_id, edited)

    def allowed_by_rule(self, tool_use_id: str, rule: str, at: float = 0.0) -> None:
        """Record that a rule allowed a call without asking anyone."""
        self._mark_running(tool_use_id, at or self._at)
        self._calls.name_rule(tool_use_id, rule)

    def start_unasked(self, at: float) -> bool:
        """Mark calls as running that need no approval; return whether there were any."""
        begun = [start_unasked(calls, self._items.asked, at) for calls in self._pending()]
        return any(begun)

    @property
    def next_unasked_at(self) -> float | None:
        """When the next such call will count as running; None if there is none."""
        times = (next_unasked_at(calls, self._items.asked) for calls in self._pending())
        return min((at for at in times if at is not None), default=None)

    def may_have_moved(self, folder: str) -> bool:
        """Check whether a command may start outside this folder, because Claude enters worktrees without asking."""
        return self._moved or self.session.cwd not in ("", folder)

    def fail(self, sentence: str) -> None:
        """End the turn with a problem, because the process ended or could not start."""
        self.close()
        self._items.add(TurnProblem("died", sentence))

    def close(self) -> None:
        """End the turn without a message."""
        self.over = True
        self._blocks.close()
        self._calls.stop_all(self._at)

    def _pending(self) -> list[list[ToolCall]]:
        """Return the pending calls of Claude and of each subagent."""
        return [self._calls.pending, *self._subagents.pending()]

    def _mark_running(self, tool_use_id: str, at: float) -> None:
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
        if event.uuid in self._items_of_line:
            return
        if event.parent is not None:
            self._subagent_message(event)
            return
        for uuid in event.supersedes:
            self._items.remove(self._items_of_line.pop(uuid, ()))
        if event.error:
            text = "\n".join(block.text for block in event.blocks if isinstance(block, TextBlock))
            self._items.add(TurnProblem(event.error, text))
            return
        self._begin_message(event.message_id)
        self._session_event(event)
        shown = [item for block in event.blocks if (item := self._finish_block(block, event.at or self._at))]
        if event.uuid:
            self._items_of_line[event.uuid] = shown

    def _finish_block(self, block: Block, at: float) -> Item | None:
        match block:
            case TextBlock(text):
                return self._blocks.finish(text, AnswerText)
            case ThinkingBlock(text):
                return self._blocks.finish(text, Thinking)
            case ToolUse() if block.id not in self._calls:
                self._moved |= _may_move(block)
                return self._calls.add(block, at, self._at)
        return None

    def _subagent_message(self, event: Assistant) -> None:
        self._subagents.said(event, self._at)
        for block in event.blocks:
            if isinstance(block, ToolUse):
                self._moved |= _may_move(block)
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
        if notice := self.session.apply(event, self._at):
            self._items.add(notice)

    def _remark(self, event: Remark) -> None:
        for uuid in event.retracted:
            self._items.remove(self._items_of_line.pop(uuid, ()))
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


def _may_move(use: ToolUse) -> bool:
    """Check whether this call may move Claude or a subagent into a worktree."""
    return use.name in ("EnterWorktree", "ExitWorktree") or (use.name in AGENT_TOOLS and "isolation" in use.input)
