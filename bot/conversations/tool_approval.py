"""Approves or denies the permission requests of a conversation: by a rule, or by asking a person."""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from bot.conversations.agent import Agent
from bot.conversations.conversation_parts import ConversationParts
from bot.decisions.allow_by_rule import allow_by_rule
from bot.decisions.desk import RequestMismatch, Waiting
from bot.decisions.large_cards import draw_if_large
from bot.decisions.rulebook import active_rules, rules_of_mode
from bot.decisions.stale_cards import keep_card_current
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.permission_request import PermissionRequest, RequestOrigin
from bot.permission_requests.rules import SavedRule, covers
from bot.permission_requests.ticket import Ticket
from shared.protocol import Allow, Deny, Request

JOURNAL_WAIT = 0.5
"""Seconds that a request waits for its own line in the journal, so that its card is below what led to it."""
RULE_JOURNAL_WAIT = 5.0
"""The same if a rule may allow it: no person checks where it runs, so the journal has to say."""
NOT_SHOWN_TIMEOUT = 600.0
"""Seconds after which a request is denied because Discord shows it to nobody."""
RUN_HAS_ENDED = "This run of Claude has ended, so nobody can be asked any more."
TURN_WAS_STOPPED = "This turn was stopped, so nobody was asked."

log = logging.getLogger(__name__)


class ToolApproval:
    """Takes the requests of one conversation and waits for their decisions."""

    def __init__(self, parts: ConversationParts, agent: Agent) -> None:
        self._id = parts.id
        self._agent = agent
        self._turns = parts.turns
        self._thread = parts.thread
        self._ports = parts.ports
        self._changes = parts.changes
        self._files = parts.ports.files

    async def ask(self, run: str, request: Request) -> Allow | Deny:
        """Put a request on the desk and wait for a person, unless a rule allows it."""
        await self.wait_for_call(request.tool_use_id)
        permission_request = self._permission_request(run, request)
        file = await self._files.read(permission_request)
        ticket = self._ports.desk.ticket(permission_request.with_file(file))
        await draw_if_large(ticket)
        if not self._agent.is_current(run):
            return Deny(message=RUN_HAS_ENDED)
        if self._is_stopped(request.tool_use_id):
            return Deny(message=TURN_WAS_STOPPED)
        try:
            if (allowed := await self._allow_by_rule(ticket.request)) is not None:
                return allowed
            async with (
                self._ports.desk.open(ticket, lambda name: self._place_card(name, request.tool_use_id)) as waiting,
                keep_card_current(
                    lambda: self._turns.tickets.get(waiting.ticket_id), self._read_again, self._ports.desk
                ),
            ):
                return await self._wait_for_decision(waiting)
        except RequestMismatch as error:
            return Deny(message=str(error))

    async def wait_for_call(self, tool_use_id: str, within: float = JOURNAL_WAIT) -> None:
        """Wait a moment for a tool call's own line in the journal."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._changes.until(lambda: self._turns.knows(tool_use_id))

    def _is_stopped(self, tool_use_id: str) -> bool:
        shown = self._turns.turn_of_call(tool_use_id)
        return shown is not None and shown is self._turns.turn and shown.stopping

    async def _read_again(self, ticket: Ticket) -> FileSnapshot:
        return await self._files.read(ticket.request, ticket.file)

    async def _allow_by_rule(self, request: PermissionRequest) -> Allow | None:
        """Allow a request if a rule does; no rule allows edits while Claude plans."""
        folder = request.origin.folder
        rules = [kept for kept in self._rules if covers(kept.rule, request)]
        if rules:  # the journal says where it runs and in which mode before its own line
            await self.wait_for_call(request.tool_use_id, RULE_JOURNAL_WAIT)
        turn = shown.turn if (shown := self._turns.turn_of_call(request.tool_use_id)) else None
        is_agents = turn is not None and turn.subagent_of(request.tool_use_id) is not None
        apart = is_agents and await asyncio.to_thread(self._ports.host.agents_work_apart, Path(folder))
        if turn is None or not turn.knows(request.tool_use_id) or turn.may_have_moved(folder) or apart:
            rules = [kept for kept in rules if kept.rule.tool != "Bash"]
        if self._is_stopped(request.tool_use_id):
            return None
        if turn is None or turn.session.mode == "plan":
            rules = [kept for kept in rules if kept.rule.tool != "Edit"]
        entry = allow_by_rule(self._ports.store, request, rules, self._ports.clock())
        if entry is None:
            return None
        self._turns.allowed_by_rule(request.tool_use_id, entry.note, entry.at)
        return Allow(updatedInput=request.input)

    @property
    def _rules(self) -> list[SavedRule]:
        """The rules that apply in this conversation."""
        project = self._thread.project
        return [*active_rules(self._ports.store.rules(project.name), self._id), *rules_of_mode(project, self._id)]

    async def _wait_for_decision(self, waiting: Waiting) -> Allow | Deny:
        """Wait for a person; deny a request that Discord has not shown for a long time."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(NOT_SHOWN_TIMEOUT / 10):
                    return await waiting.decided()
            trouble = self._thread.channel.trouble()
            if (
                trouble is not None
                and trouble.seconds >= NOT_SHOWN_TIMEOUT
                and not self._ports.store.message_of_card(waiting.ticket_id)
            ):
                log.warning("Denied a request in thread %s that can't be shown: %s", self._id, trouble.reason)
                denied = Deny(message=f"Nobody could be asked: Discord does not show the request ({trouble.reason}).")
                self._ports.desk.decide(waiting.ticket_id, denied, None, "it could not be shown")

    def _permission_request(self, run: str, request: Request) -> PermissionRequest:
        project = self._thread.project
        shown = self._turns.turn_of_call(request.tool_use_id)
        origin = RequestOrigin(
            project=project.name,
            folder=str(project.folder),
            prompted_by=shown.record.prompted_by if shown else None,
            subagent=shown.turn.subagent_of(request.tool_use_id) if shown else None,
            second_person=bool(project.decisions.second_person),
        )
        return PermissionRequest.of(request, origin, conversation=self._id, run=run)

    def _place_card(self, ticket: str, tool_use_id: str) -> str:
        return self._turns.place_card(self._turns.turn or self._agent.begin_unprompted(), ticket, tool_use_id)
