"""Gives an agent's process one prompt after another, interrupts what was stopped, and lets an idle process go."""

import asyncio
import uuid
from contextlib import suppress

from bot.conversations.agent_run import AgentRun
from bot.conversations.agent_state import Ending, Lifecycle
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.prompt_content import content
from bot.conversations.session_recap import recap_of
from bot.conversations.shown_turns import ShownTurn
from bot.conversations.turn_cycle import TurnCycle
from bot.errors import ClaudeError
from bot.records import Prompt

INTERRUPT_AGAIN = 0.3
"""Seconds between two interrupts of a turn that somebody has stopped: the CLI forgets one that comes too early."""


class PromptFeeder:
    """Speaks to one process; its two tasks end with the process."""

    def __init__(self, parts: ConversationParts, lifecycle: Lifecycle, cycle: TurnCycle, run: AgentRun) -> None:
        self._parts = parts
        self._queue = parts.queue
        self._lifecycle = lifecycle
        self._cycle = cycle
        self._run = run

    async def feed(self, patience: float) -> None:
        """Give it prompts until it is let go: nothing has happened for long, or its settings have changed.

        `patience` says for how many seconds it may wait for the first one.
        """
        while True:
            try:
                async with asyncio.timeout(patience):
                    await self._parts.until(lambda: self._lifecycle.idle and (self._queue.due or self._replaceable))
                finished = self._replaceable
            except TimeoutError:
                finished = self._at_rest
            if finished:
                self._lifecycle.let_go()
                self._run.process.finish()
                return
            if self._lifecycle.idle and self._queue.due:
                patience = self._parts.thread.idle
                await self._give(self._queue.take())

    async def interrupt_again(self) -> None:
        """Interrupt a turn that was stopped until it ends: a prompt that was on its way begins all the same."""
        while True:
            await self._parts.until(lambda: self._stopped is not None)
            stopped = self._stopped
            with suppress(TimeoutError):
                async with asyncio.timeout(INTERRUPT_AGAIN):
                    await self._parts.until(lambda: self._stopped is not stopped)  # noqa: B023 - awaited here
            if self._stopped is stopped:
                with suppress(ClaudeError):
                    await self._run.process.interrupt()

    async def _give(self, prompt: Prompt) -> None:
        """Begin a turn with a prompt."""
        ports, session = self._parts.ports, self._parts.session
        self._cycle.begin(self._run, prompt)
        ports.store.set_prompt(prompt.id, "sent")
        with suppress(ClaudeError):  # it has just ended: whoever follows the journal finds out why
            before, session.lost = await recap_of(self._parts) if session.lost else [], False
            await self._run.process.say([*before, *content(prompt, ports.host.image)], prompt_uuid(prompt))

    @property
    def _at_rest(self) -> bool:
        """Nothing would be lost with the process."""
        return self._lifecycle.idle and not self._run.background_tasks

    @property
    def _replaceable(self) -> bool:
        """The process has other settings than those that count now, and nothing would be lost with it."""
        return self._at_rest and self._run.settings != self._parts.thread.project

    @property
    def _stopped(self) -> ShownTurn | None:
        """The turn that somebody has stopped, as long as its process is to stay."""
        turn = self._parts.turns.turn
        return turn if turn is not None and turn.stopping and not isinstance(self._lifecycle.state, Ending) else None


def prompt_uuid(prompt: Prompt) -> str:
    """Name a prompt for the CLI, which echoes the name when it has taken it."""
    return str(uuid.UUID(int=prompt.id))
