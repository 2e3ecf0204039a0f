"""The states of an agent (what its `claude` process is doing), and every way from one to the next."""

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
    """It is no longer wanted: it ends as soon as it is there."""


@dataclass(frozen=True, slots=True)
class Idle:
    """The process waits for a prompt."""

    process: ClaudeProcess
    unused: bool = False
    """It was started before anything was said, and has not been given a prompt yet."""


@dataclass(frozen=True, slots=True)
class Working:
    """A turn is going on."""

    process: ClaudeProcess


@dataclass(frozen=True, slots=True)
class Ending:
    """The process has been told to end; new prompts are for the next one. A turn may still be going on."""

    process: ClaudeProcess
    asked: bool = True
    """A person or the bot ended it; otherwise it was idle for long, or its settings have changed."""


AgentState = Asleep | Starting | Idle | Working | Ending

TRANSITIONS: Mapping[type[AgentState], frozenset[type[AgentState]]] = {
    Asleep: frozenset({Starting, Idle}),
    Starting: frozenset({Starting, Idle, Asleep}),
    Idle: frozenset({Working, Ending, Asleep}),
    Working: frozenset({Idle, Ending, Asleep}),
    Ending: frozenset({Ending, Asleep}),
}
"""The diagram in docs/architecture.md, which a test compares with this."""


class Lifecycle:
    """The state of an agent; each verb is one arrow of the diagram, or nothing where there is no such arrow."""

    def __init__(self, changes: ChangeSignal) -> None:
        self.state: AgentState = Asleep()
        self.closing = False
        """The conversation is closing: no process is started any more, and none goes on."""
        self._changes = changes

    @property
    def process(self) -> ClaudeProcess | None:
        """The process, if there is one, even while it ends."""
        match self.state:
            case Idle(process=process) | Working(process=process) | Ending(process=process):
                return process
        return None

    @property
    def listening(self) -> ClaudeProcess | None:
        """The process, if it can be spoken to; one that ends can't."""
        match self.state:
            case Idle(process=process) | Working(process=process) if process.listens:
                return process
        return None

    @property
    def idle(self) -> bool:
        return isinstance(self.state, Idle)

    @property
    def cancelled(self) -> bool:
        """The process that is being started is no longer wanted."""
        return self.closing or self.state == Starting(cancelled=True)

    def start(self) -> None:
        """Begin to start a process."""
        self._to(Starting())

    def started(self, process: ClaudeProcess, *, unused: bool = True) -> None:
        """A process is there: it was just started, or an earlier bot left it running."""
        self._to(Idle(process, unused))

    def begin_turn(self) -> None:
        if isinstance(self.state, Idle):
            self._to(Working(self.state.process))

    def finish_turn(self) -> None:
        if isinstance(self.state, Working):
            self._to(Idle(self.state.process))

    def let_go(self) -> None:
        """Nobody needs the process any more."""
        if isinstance(self.state, Idle):
            self._to(Ending(self.state.process, asked=False))

    def end(self) -> ClaudeProcess | None:
        """Note that the process is to end, and give it; one that is not there yet ends when it is."""
        if isinstance(self.state, Starting):
            self._to(Starting(cancelled=True))
        if (process := self.process) is not None:
            self._to(Ending(process))
        return process

    def gone(self) -> bool:
        """The process is gone, or could not be started; says whether somebody had asked for its end."""
        asked = isinstance(self.state, Ending) and self.state.asked
        if not isinstance(self.state, Asleep):
            self._to(Asleep())
        return asked

    def _to(self, state: AgentState) -> None:
        if type(state) not in TRANSITIONS[type(self.state)]:
            raise RuntimeError(f"An agent can't go from {self.state} to {state}.")
        self.state = state
        self._changes.send()
