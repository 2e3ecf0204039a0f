"""The status of the session during a turn: folder, model, mode, limits, and retries."""

from dataclasses import dataclass, field, replace

from bot.events import (
    ApiRetry,
    Assistant,
    Compacted,
    Init,
    MessageDelta,
    MessageStarted,
    RateLimit,
    StatusChange,
    Usage,
)
from bot.transcript.items import Notice, Todo

SessionEvent = Init | StatusChange | Compacted | ApiRetry | RateLimit | MessageStarted | MessageDelta | Assistant
"""Events that change the status of the session."""


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """The values that a turn takes over from the previous one."""

    cwd: str = ""
    model: str = ""
    mode: str = ""
    cost: float | None = None
    """The cost of the process when the previous turn ended, in US dollars."""
    todos: tuple[Todo, ...] = ()


@dataclass(slots=True)
class SessionStatus:
    cwd: str = ""
    model: str = ""
    mode: str = ""
    context: Usage = field(default_factory=Usage)
    """The usage of the last message, which shows how full the context is."""
    limits: dict[str, RateLimit] = field(default_factory=dict)
    retrying: ApiRetry | None = None
    retry_at: float = 0.0
    compacting: bool = False

    def clear_interruptions(self) -> None:
        """Clear the retry and compaction status, because Claude is writing or the turn has ended."""
        self.retrying = None
        self.compacting = False

    def apply(self, event: SessionEvent, at: float) -> Notice | None:
        """Apply an event; return a notice if the turn should show one."""
        match event:
            case Init():
                return self._init(event)
            case StatusChange():
                return self._status(event)
            case Compacted():
                self.compacting = False
                before, after = event.pre_tokens, event.post_tokens
                sizes = f" from {before:,} to {after:,} tokens" if after else ""
                return Notice(f"Compacted the conversation{sizes}")
            case ApiRetry():
                self.retrying = event
                self.retry_at = at + event.delay_ms / 1000
            case RateLimit():
                self.limits[event.kind] = event
            case MessageStarted():
                self.context = event.usage
            case MessageDelta():
                self.context = replace(self.context, output_tokens=event.output_tokens)
            case Assistant() if event.usage.context >= self.context.context:
                self.context = event.usage
        return None

    def _init(self, event: Init) -> Notice | None:
        changed = bool(self.model and event.model and event.model != self.model)
        self.cwd = event.cwd or self.cwd
        self.model = event.model or self.model
        self.mode = event.permission_mode or self.mode
        return Notice(f"Model: {self.model}") if changed else None

    def _status(self, event: StatusChange) -> Notice | None:
        self.compacting = event.status == "compacting"
        known, self.mode = self.mode, event.permission_mode or self.mode
        if event.compact_error:
            return Notice(f"The conversation could not be compacted: {event.compact_error}")
        return Notice(f"Mode: {self.mode}") if known and self.mode != known else None
