"""A turn as it grows, event by event; the same events always make the same turn."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

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
    ToolResult,
    ToolUse,
    User,
)
from bot.transcript.items import (
    AnswerText,
    CallState,
    Item,
    LookupGroup,
    Notice,
    Slot,
    SubagentGroup,
    Thinking,
    Todo,
    Todos,
    ToolCall,
    TurnProblem,
)
from bot.transcript.session_status import PreviousTurn, SessionEvent, SessionStatus
from bot.transcript.subagents import Subagents
from bot.transcript.todos import TODO_TOOLS, changed, written
from bot.transcript.tool_calls import AGENT_TOOLS, LOOKING, begin_unasked, come_next, next_unasked
from bot.transcript.tool_results import outcome_of, slim, state_of

SENDING = "mcp__discord__send_file"

Growing = TypeVar("Growing", AnswerText, Thinking)
Group = TypeVar("Group", LookupGroup, SubagentGroup)


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
    """From a prompt, or from Claude's own start, to a `result`.

    `items` is what there is to show, in order. Items grow and settle where they stand; `revision` rises
    when something else happened to what already stood: text replaced, an item taken back or put in between.
    """

    def __init__(
        self, prompted_by: int | None = None, started_at: float = 0.0, previous: PreviousTurn | None = None
    ) -> None:
        before = previous or PreviousTurn()
        self.prompted_by = prompted_by
        self.started_at = started_at
        self.items: list[Item] = []
        self.loose: list[Slot] = []
        """Cards whose tool call has not been seen yet: the request can overtake the journal."""
        self.revision = 0
        self.ended: Result | None = None
        self.over = False
        """Nothing more is to come; without `ended`, because the process is gone."""
        self.session = SessionStatus(before.cwd, before.model, before.mode)
        self._before = before
        self._at = started_at
        self._message = ""
        self._open: dict[int, AnswerText | Thinking] = {}
        self._lines: dict[str, list[Item]] = {}
        self._calls: dict[str, ToolCall] = {}
        self._running: dict[str, ToolCall] = {}
        self._homes: dict[str, Item | None] = {}
        self._refused: set[str] = set()
        self._tickets: dict[str, str] = {}
        self._edited: dict[str, Mapping[str, Any]] = {}
        self._todos: Todos | None = None
        self._subagents = Subagents()
        self._moved = False
        self._apply: dict[type[Any], Callable[[Any], None]] = {
            TextDelta: self._text_delta,
            ThinkingDelta: self._thinking_delta,
            BlockStopped: self._block_stopped,
            MessageStarted: self._message_started,
            MessageDelta: self._message_delta,
            Assistant: self._assistant,
            User: self._user,
            Init: self._said,
            StatusChange: self._said,
            Compacted: self._said,
            ApiRetry: self._said,
            RateLimit: self._said,
            Remark: self._remark,
            CommandOutput: self._command_output,
            PermissionDenied: self._permission_denied,
            TaskStarted: self._task_started,
            TaskProgress: self._subagents.progressed,
            TaskUpdated: self._task_updated,
            TaskEnded: self._task_ended,
            Result: self._result,
        }

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
        return tool_use_id in self._homes

    def subagent_of(self, tool_use_id: str) -> str | None:
        """Tell what the subagent that makes this call was told to do; None when Claude makes it."""
        return self._subagents.whose(tool_use_id)

    def slot(self, ticket_id: str, tool_use_id: str = "") -> None:
        """Give a ticket's card its place: right below the tool call that it is about."""
        if ticket_id in self._tickets:
            return
        self._tickets[ticket_id] = tool_use_id
        slot = Slot(ticket_id)
        if tool_use_id in self._homes:
            self._place(slot, self._homes[tool_use_id])
        elif tool_use_id:
            self.loose.append(slot)
        else:
            self.items.append(slot)

    def ticket_of(self, tool_use_id: str) -> str:
        """Give the last ticket that was about a call; empty if there was none."""
        return next((t for t, call in reversed(self._tickets.items()) if call == tool_use_id), "")

    def answered(
        self, ticket_id: str, *, allowed: bool = True, at: float = 0.0, edited: Mapping[str, Any] | None = None
    ) -> None:
        """A ticket no longer waits. The time until `at` was the person's, not the tool's; `edited` is what runs."""
        tool_use_id = self._tickets.get(ticket_id, "")
        if not allowed:
            self._refused.add(tool_use_id)
        elif at:
            self._begun(tool_use_id, at)
        if edited is not None:
            self._edited[tool_use_id] = slim(edited)
            if call := self._calls.get(tool_use_id):
                self._edit(call)

    def _edit(self, call: ToolCall) -> None:
        """Show of a call what a person made of it."""
        if call.id in self._edited:
            call.input, call.edited = self._edited[call.id], True

    def passed(self, tool_use_id: str, rule: str, at: float = 0.0) -> None:
        """Nobody was asked about a call: this rule let it pass."""
        self._begun(tool_use_id, at or self._at)
        if call := self._calls.get(tool_use_id):
            call.rule = rule

    def begin_unasked(self, at: float) -> bool:
        """Take calls for running that nobody is asked about; tells whether there were any."""
        begun = [begin_unasked(calls, self._tickets.values(), at) for calls in self._pending()]
        return any(begun)

    @property
    def next_unasked(self) -> float | None:
        """When the next such call will count as running; None where there is none."""
        times = (next_unasked(calls, self._tickets.values()) for calls in self._pending())
        return min((at for at in times if at is not None), default=None)

    def _pending(self) -> list[list[ToolCall]]:
        """The calls that have not ended, of Claude and of each subagent."""
        return [list(self._running.values()), *self._subagents.pending()]

    def _begun(self, tool_use_id: str, at: float) -> None:
        for call in (call for calls in self._pending() for call in calls if call.id == tool_use_id):
            call.state, call.started_at = CallState.RUNNING, at

    def may_be_elsewhere(self, folder: str) -> bool:
        """Say whether a command may begin in another folder than this one: Claude enters worktrees without asking."""
        return self._moved or self.session.cwd not in ("", folder)

    def fail(self, sentence: str) -> None:
        """The process is gone or never came to be: no `result` will come, and this is why."""
        self._close()
        self.items.append(TurnProblem("died", sentence))

    def close(self) -> None:
        """Nothing more will come, and nobody needs to be told why."""
        self._close()

    def as_previous(self) -> PreviousTurn:
        """Give what the next turn takes over."""
        session = self.session
        cost = self.ended.cost if self.ended and self.ended.cost is not None else self._before.cost
        return PreviousTurn(session.cwd, session.model, session.mode, cost, tuple(self._current_todos()))

    @property
    def cost(self) -> float | None:
        """US dollars for this turn alone."""
        if self.ended is None or self.ended.cost is None:
            return None
        before = self._before.cost or 0.0
        return self.ended.cost - before if self.ended.cost >= before else self.ended.cost

    # --- Claude's own message, as it is written

    def _text_delta(self, event: TextDelta) -> None:
        if event.parent is None and event.text:
            self._growing(event.index, AnswerText).chunks.append(event.text)

    def _thinking_delta(self, event: ThinkingDelta) -> None:
        if event.parent is None and event.text:
            self._growing(event.index, Thinking).chunks.append(event.text)

    def _growing(self, index: int, kind: type[Growing]) -> Growing:
        item = self._open.get(index)
        if isinstance(item, kind) and not item.done:
            return item
        self.session.quiet()
        new = kind([])
        self._open[index] = new
        self.items.append(new)
        return new

    def _block_stopped(self, event: BlockStopped) -> None:
        if event.parent is None and (item := self._open.get(event.index)):
            item.done = True

    def _message_started(self, event: MessageStarted) -> None:
        if event.parent is None:
            self._next_message(event.message_id)
            self._said(event)

    def _message_delta(self, event: MessageDelta) -> None:
        if event.parent is None:
            self._said(event)

    def _next_message(self, message_id: str) -> None:
        """Begin another message: what the last one left unfinished was given up by the CLI."""
        self.session.quiet()
        if message_id == self._message:
            return
        self._message = message_id
        self._take_back(item for item in self._open.values() if not item.done)
        self._open.clear()
        for call in list(self._running.values()):
            self._settle(call, CallState.STOPPED)

    def _assistant(self, event: Assistant) -> None:
        if event.uuid in self._lines:
            return
        if event.parent is not None:
            self._subagent_said(event)
            return
        for uuid in event.supersedes:
            self._take_back(self._lines.pop(uuid, ()))
        if event.error:
            text = "\n".join(block.text for block in event.blocks if isinstance(block, TextBlock))
            self.items.append(TurnProblem(event.error, text))
            return
        self._next_message(event.message_id)
        self._said(event)
        shown = [item for block in event.blocks if (item := self._finished(block, event.at or self._at))]
        if event.uuid:
            self._lines[event.uuid] = shown

    def _finished(self, block: Block, at: float) -> Item | None:
        match block:
            case TextBlock(text):
                return self._whole(text, AnswerText)
            case ThinkingBlock(text):
                return self._whole(text, Thinking)
            case ToolUse() if block.id not in self._calls:
                return self._call(block, at)
        return None

    def _whole(self, text: str, kind: type[Growing]) -> Growing | None:
        """Put the finished block in the place of its pieces, or at the end if no piece was seen."""
        for index in sorted(self._open):
            item = self._open[index]
            if isinstance(item, kind):
                del self._open[index]
                item.done = True
                if item.text != text:
                    item.chunks[:] = [text]
                    self.revision += 1
                return item
        if not text:
            return None
        new = kind([text], done=True)
        self.items.append(new)
        return new

    # --- tools

    def _call(self, use: ToolUse, at: float) -> Item | None:
        call = ToolCall(use.id, use.name, slim(use.input), at)
        self._edit(call)  # the line may come later than its answer
        if use.name in LOOKING | AGENT_TOOLS | TODO_TOOLS:
            call.state = CallState.RUNNING  # they hardly ever ask
        self._moved |= _moves(use)
        self._calls[use.id] = self._running[use.id] = call
        home: Item | None = None
        if use.name in TODO_TOOLS:
            if use.name == "TodoWrite" and (todos := written(use.input)) is not None:
                self._set_todos(todos)
        elif use.name in AGENT_TOOLS:
            home = self._into(last := self._last(SubagentGroup), self._subagents.launched(call, last))
        elif use.name in LOOKING:
            looks = self._last(LookupGroup)
            home = looks = self._into(looks, looks or LookupGroup())
            looks.add(call)
        else:
            self.items.append(home := call)
            if use.name == SENDING:
                self.items.append(Slot(f"file-{use.id}"))  # the file itself; what is said next stands below it
        self._at_home(use.id, home or (self.items[-1] if self.items else None))
        come_next(self._running.values(), self._at)
        return home if home is call else None

    def _last(self, kind: type[Group]) -> Group | None:
        """Give the last item if it is of this kind; thinking in between does not count."""
        for item in reversed(self.items):
            if not isinstance(item, Thinking):
                return item if isinstance(item, kind) else None
        return None

    def _into(self, last: Group | None, group: Group) -> Group:
        if group is not last:
            self.items.append(group)
        return group

    def _user(self, event: User) -> None:
        for result in event.results:
            if event.parent is not None:
                self._subagents.outcome(event.parent, result, self._at)
            elif call := self._calls.get(result.tool_use_id):
                self._outcome(call, result, event.at or self._at)

    def _outcome(self, call: ToolCall, result: ToolResult, at: float) -> None:
        if call.ended_at is not None:
            return
        call.outcome = outcome_of(call, result)
        call.ended_at = at
        refused = result.is_error and call.id in self._refused
        self._settle(call, CallState.DENIED if refused else state_of(result))
        if call.name in AGENT_TOOLS:
            self._subagents.returned(call, result)
        elif call.name in TODO_TOOLS and not result.is_error:
            self._set_todos(changed(self._current_todos(), call, result))

    def _settle(self, call: ToolCall, state: CallState) -> None:
        was, call.state = call.state, state
        home = self._homes.get(call.id)
        if isinstance(home, LookupGroup):
            home.failed += state is CallState.FAILED
        elif isinstance(home, SubagentGroup):
            self._subagents.settled(call)
        if self._running.pop(call.id, None) is None:
            if was is not state:
                self.revision += 1  # it was given up before, and may stand in a message that is finished
        elif isinstance(home, LookupGroup):
            home.running -= 1
        come_next(self._running.values(), self._at)

    def _permission_denied(self, event: PermissionDenied) -> None:
        self._refused.add(event.tool_use_id)

    def _current_todos(self) -> list[Todo]:
        return self._todos.todos if self._todos else list(self._before.todos)

    def _set_todos(self, todos: list[Todo]) -> None:
        if self._todos is None:
            if not todos:  # an empty list is nothing to show
                self._before = replace(self._before, todos=())
                return
            self._todos = Todos()
            self.items.append(self._todos)
        if todos != self._todos.todos:
            self._todos.todos = todos
            self._todos.version += 1

    # --- places

    def _at_home(self, tool_use_id: str, item: Item | None) -> None:
        """Remember below what a call's card belongs, and put it there if it is waiting for that."""
        self._homes[tool_use_id] = item
        for slot in [slot for slot in self.loose if self._tickets[slot.ticket_id] == tool_use_id]:
            self.loose.remove(slot)
            self._place(slot, item)

    def _place(self, slot: Slot, below: Item | None) -> None:
        place = len(self.items)
        while place > 0 and self.items[place - 1] is not below:
            place -= 1
        while place < len(self.items) and isinstance(self.items[place], Slot):
            place += 1
        self.revision += place < len(self.items)
        self.items.insert(place, slot)

    def _take_back(self, items: Iterable[Item]) -> None:
        gone = set(map(id, items))
        if gone:
            self.items = [item for item in self.items if id(item) not in gone]
            self.revision += 1

    # --- the session, subagents and background commands

    def _said(self, event: SessionEvent) -> None:
        if notice := self.session.take(event, self._at):
            self.items.append(notice)

    def _remark(self, event: Remark) -> None:
        for uuid in event.retracted:
            self._take_back(self._lines.pop(uuid, ()))
        if event.text and event.level != "info" and not self.over:
            self.items.append(Notice(event.text))

    def _command_output(self, event: CommandOutput) -> None:
        if event.text:
            self.items.append(AnswerText([event.text], done=True))

    def _subagent_said(self, event: Assistant) -> None:
        self._subagents.said(event, self._at)
        for block in event.blocks:
            if isinstance(block, ToolUse):
                self._moved |= _moves(block)
                self._at_home(block.id, self.items[-1] if self.items else None)

    def _task_started(self, event: TaskStarted) -> None:
        if agents := self._subagents.started(event, self._at):
            self.items.append(agents)

    def _task_updated(self, event: TaskUpdated) -> None:
        self._subagents.updated(event, self._at)

    def _task_ended(self, event: TaskEnded) -> None:
        about_agent = self._subagents.ended(event, self._at)
        if event.summary and not (about_agent or event.ambient or self.over):
            self.items.append(Notice(event.summary))

    # --- the end

    def _result(self, event: Result) -> None:
        self._close()
        self.ended = event
        for denial in event.denials:
            call = self._calls.get(denial.tool_use_id)
            if call and call.state is CallState.FAILED:  # an interrupted call is listed too, and was not denied
                self._settle(call, CallState.DENIED)
        if event.stopped:
            return
        if event.is_error:
            if not any(isinstance(item, TurnProblem) for item in self.items):
                reason = event.terminal_reason if event.terminal_reason != "completed" else ""
                self.items.append(TurnProblem(reason or event.subtype, event.text or "\n".join(event.errors)))
        elif event.text and not any(isinstance(item, AnswerText) for item in self.items):
            self.items.append(AnswerText([event.text], done=True))

    def _close(self) -> None:
        self.over = True
        self.session.quiet()
        for item in self._open.values():
            item.done = True
        for call in list(self._running.values()):
            self._settle(call, CallState.STOPPED)


def _moves(use: ToolUse) -> bool:
    """Say whether this call may take Claude, or a subagent, into a worktree."""
    return use.name in ("EnterWorktree", "ExitWorktree") or (use.name in AGENT_TOOLS and "isolation" in use.input)
