"""Approves or denies what Claude wants to do in a conversation: by a rule, or by asking a person."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot.conversations.agent import Agent
from bot.conversations.conversation_parts import ConversationParts
from bot.decisions.allow_by_rule import pass_by_rule
from bot.decisions.desk import AskedDifferently, Waiting
from bot.decisions.large_cards import draw_if_large
from bot.decisions.rulebook import by_mode, in_force
from bot.decisions.stale_cards import kept_true
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from bot.permission_requests.rules import SavedRule, is_about
from bot.permission_requests.ticket import Ticket
from shared.protocol import Allow, Deny, Request

JOURNAL_LEAD = 0.5
"""Seconds that a request waits for its own line in the journal, so that its card stands below what led to it."""
RULE_LEAD = 5.0
"""The same where a rule may let it pass: nobody looks where it runs, so the journal has to tell."""
UNSEEN = 600.0
"""Seconds after which a request is denied that Discord would not show to anybody."""
RUN_IS_OVER = "This run of Claude is over; nobody can be asked any more."
TURN_IS_STOPPED = "Somebody has stopped this turn, so nobody is asked."

log = logging.getLogger(__name__)


class ToolApproval:
    """Takes the requests of one conversation, and waits for their decisions."""

    def __init__(self, parts: ConversationParts, agent: Agent) -> None:
        self._id = parts.id
        self._agent = agent
        self._turns = parts.turns
        self._thread = parts.thread
        self._ports = parts.ports
        self._changes = parts.changes
        self._files = parts.ports.files

    async def ask(self, run: str, request: Request) -> Allow | Deny:
        """Put a request on the desk and wait for a person, unless a rule lets it pass."""
        await self.appears(request.tool_use_id)
        asked = self._asked(run, request)
        ticket = self._ports.desk.ticket(replace(asked, file=await self._files.look(asked)))
        await draw_if_large(ticket)
        if not self._agent.is_current(run):
            return Deny(message=RUN_IS_OVER)
        if self._is_stopped(request.tool_use_id):
            return Deny(message=TURN_IS_STOPPED)
        try:
            if (passed := await self._pass_by_rule(ticket.request)) is not None:
                return passed
            async with (
                self._ports.desk.open(ticket, lambda name: self._place(name, request.tool_use_id)) as waiting,
                kept_true(lambda: self._turns.tickets.get(waiting.ticket_id), self._look_again, self._ports.desk),
            ):
                return await self._decided(waiting)
        except AskedDifferently as doubt:
            return Deny(message=str(doubt))

    async def appears(self, tool_use_id: str, within: float = JOURNAL_LEAD) -> None:
        """Wait a moment for a tool call's own line in the journal."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._changes.until(lambda: self._turns.knows(tool_use_id))

    def _is_stopped(self, tool_use_id: str) -> bool:
        asker = self._turns.asker(tool_use_id)
        return asker is not None and asker is self._turns.turn and asker.stopping

    async def _look_again(self, ticket: Ticket) -> FileSnapshot:
        return await self._files.look(ticket.request, ticket.file)

    async def _pass_by_rule(self, request: PermissionRequest) -> Allow | None:
        """Allow at once what a rule lets pass; while Claude plans, nothing is edited."""
        folder = request.origin.folder
        rules = [kept for kept in self._rules if is_about(kept.rule, request)]
        if rules:  # where it runs, and in which mode, stands in the journal before it
            await self.appears(request.tool_use_id, RULE_LEAD)
        turn = asker.turn if (asker := self._turns.asker(request.tool_use_id)) else None
        is_agents = turn is not None and turn.subagent_of(request.tool_use_id) is not None
        apart = is_agents and await asyncio.to_thread(self._ports.host.agents_work_apart, Path(folder))
        if turn is None or not turn.knows(request.tool_use_id) or turn.may_be_elsewhere(folder) or apart:
            rules = [kept for kept in rules if kept.rule.tool != "Bash"]
        if self._is_stopped(request.tool_use_id):
            return None
        if turn is None or turn.session.mode == "plan":
            rules = [kept for kept in rules if kept.rule.tool != "Edit"]
        entry = pass_by_rule(self._ports.store, request, rules, self._ports.clock())
        if entry is None:
            return None
        self._turns.passed(request.tool_use_id, entry.note, entry.at)
        return Allow(updatedInput=request.input)

    @property
    def _rules(self) -> list[SavedRule]:
        """What need not be asked here."""
        project = self._thread.project
        return [*in_force(self._ports.store.rules(project.name), self._id), *by_mode(project, self._id)]

    async def _decided(self, waiting: Waiting) -> Allow | Deny:
        """Wait for a person; a request that can't be shown to anybody for long is denied."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(UNSEEN / 10):
                    return await waiting.decided()
            trouble = self._thread.channel.trouble()
            if (
                trouble is not None
                and trouble.seconds >= UNSEEN
                and not self._ports.store.message_of_card(waiting.ticket_id)
            ):
                log.warning("A request in thread %s can't be shown, and is denied: %s", self._id, trouble.reason)
                refused = Deny(message=f"Nobody could be asked: Discord does not show the request ({trouble.reason}).")
                self._ports.desk.decide(waiting.ticket_id, refused, None, "it could not be shown")

    def _asked(self, run: str, request: Request) -> PermissionRequest:
        project = self._thread.project
        asker = self._turns.asker(request.tool_use_id)
        origin = RequestOrigin(
            project=project.name,
            folder=str(project.folder),
            prompted_by=asker.record.prompted_by if asker else None,
            subagent=asker.turn.subagent_of(request.tool_use_id) if asker else None,
            second_person=bool(project.decisions.second_person),
        )
        return PermissionRequest.of(request, origin, conversation=self._id, run=run)

    def _place(self, ticket: str, tool_use_id: str) -> str:
        return self._turns.place(self._turns.turn or self._agent.begin_unprompted(), ticket, tool_use_id)
