"""The input and output of one process, from its start to its end."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from typing import Any

from bot.conversations.agent_run import AgentRun
from bot.conversations.agent_state import Lifecycle
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.journal_follower import JournalFollower
from bot.conversations.prompt_feeder import PromptFeeder
from bot.conversations.turn_cycle import TurnCycle
from bot.errors import ClaudeError


class ProcessIO:
    """Sends prompts to a process and follows its journal; a process that accepts no input is only followed."""

    def __init__(self, parts: ConversationParts, lifecycle: Lifecycle, cycle: TurnCycle, run: AgentRun) -> None:
        self._parts = parts
        self._process = run.process
        self._feeder = PromptFeeder(parts, lifecycle, cycle, run)
        self._follower = JournalFollower(parts, cycle, run)

    async def run(self, first_prompt_within: float, *, warming_up: bool, adopted: bool) -> None:
        """Write to the process and read its journal until it has ended.

        The process may wait `first_prompt_within` seconds for its first prompt. `warming_up`: no prompt is due yet.
        `adopted`: an earlier bot started it.
        """
        writers = self._writers(first_prompt_within, warming_up=warming_up, adopted=adopted)
        async with asyncio.TaskGroup() as tasks:
            writing = [tasks.create_task(work) for work in writers]
            await self._follower.follow()
            for task in writing:
                task.cancel()

    def _writers(
        self, first_prompt_within: float, *, warming_up: bool, adopted: bool
    ) -> Iterator[Coroutine[Any, Any, None]]:
        if not self._process.listens:
            return
        yield self._feeder.feed(first_prompt_within)
        yield self._feeder.interrupt_again()
        if adopted:
            yield self._revoke_rules()
        if warming_up:
            yield self._gather_context()

    async def _revoke_rules(self) -> None:
        """Make a process that an older bot started ask for everything: it may have rules and a mode of its own."""
        with suppress(ClaudeError):
            await self._process.control("apply_flag_settings", settings={"permissions": {"allow": []}})
            await self._parts.until(lambda: any(known.turn.session.mode for known in self._parts.turns))
            if any(known.turn.session.mode == "acceptEdits" for known in self._parts.turns):
                await self._process.control("set_permission_mode", mode="default")

    async def _gather_context(self) -> None:
        """Let the process gather its tools and context before the first prompt: half the time that one would take."""
        with suppress(ClaudeError):
            await self._process.control("get_context_usage")
