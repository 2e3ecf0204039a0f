"""The states of an agent: what its `claude` process is doing."""

from dataclasses import dataclass

from bot.ports import ClaudeProcess


@dataclass(frozen=True, slots=True)
class Asleep:
    """There is no process; the next prompt starts one."""


@dataclass(frozen=True, slots=True)
class Starting:
    """A process is being started."""


@dataclass(frozen=True, slots=True)
class Idle:
    """A process waits for a prompt."""

    run: ClaudeProcess
    unused: bool = False
    """It was started before anything was said, and has not been given a prompt yet."""


@dataclass(frozen=True, slots=True)
class Working:
    """A turn is going on."""

    run: ClaudeProcess


@dataclass(frozen=True, slots=True)
class Ending:
    """The process has been told to end: what comes now is for the next one."""

    run: ClaudeProcess
    asked: bool = True
    """Somebody, or the bot's own end, wanted it; otherwise nothing had happened for long."""


State = Asleep | Starting | Idle | Working | Ending
