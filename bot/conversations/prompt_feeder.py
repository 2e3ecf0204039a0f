"""Sends prompts to an agent's process one at a time, interrupts stopped turns, and ends an idle process."""

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
"""Seconds between two interrupts of a stopped turn: the CLI forgets one that comes too early."""


class PromptFeeder:
    """Writes to one process; its two tasks end with the process."""

    def __init__(self, parts: ConversationParts, lifecycle: Lifecycle, cycle: TurnCycle, run: AgentRun) -> None:
        self._parts = parts
        self._queue = parts.queue
        self._lifecycle = lifecycle
        self._cycle = cycle
        self._run = run

    async def feed(self, longest_wait: float) -> None:
        """Send prompts until the process was idle for too long or its settings have changed; then end its input.

        `longest_wait` is in seconds and for the first prompt only.
        """
        while True:
            try:
                async with asyncio.timeout(longest_wait):
                    await self._parts.until(lambda: self._lifecycle.idle and (self._queue.due or self._replaceable))
                finished = self._replaceable
            except TimeoutError:
                finished = self._is_disposable
            if finished:
                self._lifecycle.end_idle()
                self._run.process.finish()
                return
            if self._lifecycle.idle and self._queue.due:
                longest_wait = self._parts.thread.idle
                await self._send(self._queue.take())

    async def interrupt_again(self) -> None:
        """Interrupt a stopped turn until it ends: a prompt that was on its way would still start."""
        while True:
            await self._parts.until(lambda: self._stopped is not None)
            stopped = self._stopped
            with suppress(TimeoutError):
                async with asyncio.timeout(INTERRUPT_AGAIN):
                    await self._parts.until(lambda: self._stopped is not stopped)  # noqa: B023 - awaited here
            if self._stopped is stopped:
                with suppress(ClaudeError):
                    await self._run.process.interrupt()

    async def _send(self, prompt: Prompt) -> None:
        """Begin a turn with a prompt."""
        ports, session = self._parts.ports, self._parts.session
        self._cycle.begin(self._run, prompt)
        ports.store.set_prompt(prompt.id, "sent")
        with suppress(ClaudeError):  # it has just ended: the journal says why
            before, session.lost = await recap_of(self._parts) if session.lost else [], False
            await self._run.process.say([*before, *content(prompt, ports.host.image)], prompt_uuid(prompt))

    @property
    def _is_disposable(self) -> bool:
        """Whether nothing would be lost if the process ended."""
        return self._lifecycle.idle and not self._run.background_tasks

    @property
    def _replaceable(self) -> bool:
        """Whether the process has outdated settings, and nothing would be lost if it ended."""
        return self._is_disposable and self._run.settings != self._parts.thread.project

    @property
    def _stopped(self) -> ShownTurn | None:
        """The turn that was stopped, unless its process is ending anyway."""
        turn = self._parts.turns.turn
        return turn if turn is not None and turn.stopping and not isinstance(self._lifecycle.state, Ending) else None


def prompt_uuid(prompt: Prompt) -> str:
    """Return a prompt's uuid for the CLI, which echoes it when it starts on the prompt."""
    return str(uuid.UUID(int=prompt.id))
