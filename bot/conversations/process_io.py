"""What is said to one process and what it says, from its start to its end."""

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
    """Feeds a process and follows its journal, side by side; one that can't be spoken to is only followed."""

    def __init__(self, parts: ConversationParts, lifecycle: Lifecycle, cycle: TurnCycle, run: AgentRun) -> None:
        self._parts = parts
        self._process = run.process
        self._feeder = PromptFeeder(parts, lifecycle, cycle, run)
        self._follower = JournalFollower(parts, cycle, run)

    async def hold(self, patience: float, *, ahead: bool, inherited: bool) -> None:
        """Speak and listen until the process has ended.

        `patience` says for how many seconds it may wait for its first prompt, `ahead` that none is due yet,
        `inherited` that an earlier bot started it.
        """
        async with asyncio.TaskGroup() as tasks:
            speaking = [tasks.create_task(work) for work in self._speak(patience, ahead=ahead, inherited=inherited)]
            await self._follower.follow()
            for task in speaking:
                task.cancel()

    def _speak(self, patience: float, *, ahead: bool, inherited: bool) -> Iterator[Coroutine[Any, Any, None]]:
        if not self._process.listens:
            return
        yield self._feeder.feed(patience)
        yield self._feeder.interrupt_again()
        if inherited:
            yield self._revoke_rules()
        if ahead:
            yield self._gather_context()

    async def _revoke_rules(self) -> None:
        """Have a process that an older bot started ask for everything: it may know rules, and a mode, of its own."""
        with suppress(ClaudeError):
            await self._process.control("apply_flag_settings", settings={"permissions": {"allow": []}})
            await self._parts.until(lambda: any(known.turn.session.mode for known in self._parts.turns))
            if any(known.turn.session.mode == "acceptEdits" for known in self._parts.turns):
                await self._process.control("set_permission_mode", mode="default")

    async def _gather_context(self) -> None:
        """Have it gather its tools and its context before the first prompt: that is half of what that would take."""
        with suppress(ClaudeError):
            await self._process.control("get_context_usage")
