"""The states of an agent (what its `claude` process is doing) and the transitions between them."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.conversations.change_signal import ChangeSignal
from bot.ports import ClaudeProcess


@dataclass(frozen=True, slots=True)
class Asleep:
    """There is no process; the next prompt starts one."""


@dataclass(frozen=True, slots=True)
class Starting:
    """A process is being started."""

    cancelled: bool = False
    """It is no longer needed, and is ended as soon as it has started."""


@dataclass(frozen=True, slots=True)
class Idle:
    """The process waits for a prompt."""

    process: ClaudeProcess
    unused: bool = False
    """It was started before there was a prompt, and has not been given one yet."""


@dataclass(frozen=True, slots=True)
class Working:
    """A turn is running."""

    process: ClaudeProcess


@dataclass(frozen=True, slots=True)
class Ending:
    """The process has been told to end; new prompts wait for the next one. A turn may still be running."""

    process: ClaudeProcess
    asked: bool = True
    """A person or the bot ended it; otherwise it was idle for too long, or its settings have changed."""


AgentState = Asleep | Starting | Idle | Working | Ending

TRANSITIONS: Mapping[type[AgentState], frozenset[type[AgentState]]] = {
    Asleep: frozenset({Starting, Idle}),
    Starting: frozenset({Starting, Idle, Asleep}),
    Idle: frozenset({Working, Ending, Asleep}),
    Working: frozenset({Idle, Ending, Asleep}),
    Ending: frozenset({Ending, Asleep}),
}
"""The same transitions as in the diagram in docs/architecture.md; a test compares them."""


class Lifecycle:
    """The state of an agent; each method follows one arrow of the diagram, or does nothing if there is none."""

    def __init__(self, changes: ChangeSignal) -> None:
        self.state: AgentState = Asleep()
        self.closing = False
        """The conversation is closing: no process is started, and none is adopted."""
        self._changes = changes

    @property
    def process(self) -> ClaudeProcess | None:
        """The process, if there is one, even while it is ending."""
        match self.state:
            case Idle(process=process) | Working(process=process) | Ending(process=process):
                return process
        return None

    @property
    def listening(self) -> ClaudeProcess | None:
        """The process, if it accepts input; one that is ending doesn't."""
        match self.state:
            case Idle(process=process) | Working(process=process) if process.listens:
                return process
        return None

    @property
    def idle(self) -> bool:
        return isinstance(self.state, Idle)

    @property
    def cancelled(self) -> bool:
        """Whether no process is needed any more, even if one is being started."""
        return self.closing or self.state == Starting(cancelled=True)

    def start(self) -> None:
        self._change_to(Starting())

    def started(self, process: ClaudeProcess, *, unused: bool = True) -> None:
        """Note that a process has started, or that it was adopted from an earlier bot."""
        self._change_to(Idle(process, unused))

    def begin_turn(self) -> None:
        if isinstance(self.state, Idle):
            self._change_to(Working(self.state.process))

    def finish_turn(self) -> None:
        if isinstance(self.state, Working):
            self._change_to(Idle(self.state.process))

    def end_idle(self) -> None:
        """Note that an idle process is ending because it is no longer needed."""
        if isinstance(self.state, Idle):
            self._change_to(Ending(self.state.process, asked=False))

    def end(self) -> ClaudeProcess | None:
        """Note that the process is ending, and return it; one that is still starting ends once it has started."""
        if isinstance(self.state, Starting):
            self._change_to(Starting(cancelled=True))
        if (process := self.process) is not None:
            self._change_to(Ending(process))
        return process

    def ended(self) -> bool:
        """Note that the process has ended or could not be started; return whether someone asked for its end."""
        asked = isinstance(self.state, Ending) and self.state.asked
        if not isinstance(self.state, Asleep):
            self._change_to(Asleep())
        return asked

    def _change_to(self, state: AgentState) -> None:
        if type(state) not in TRANSITIONS[type(self.state)]:
            raise RuntimeError(f"An agent can't go from {self.state} to {state}.")
        self.state = state
        self._changes.send()
