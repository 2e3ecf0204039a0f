"""Follows the journal of an agent's process: turns events into turns and keeps track of the session."""

from dataclasses import replace

from bot.conversation_status import Capability
from bot.conversations.agent_run import AgentRun
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.prompt_feeder import prompt_uuid
from bot.conversations.shown_turns import ShownTurn
from bot.conversations.turn_cycle import TurnCycle
from bot.events import Assistant, BackgroundTasks, Event, Init, Result, User
from bot.transcript import starts_turn


class JournalFollower:
    """Handles every event of one process until it has ended."""

    def __init__(self, parts: ConversationParts, cycle: TurnCycle, run: AgentRun) -> None:
        self._parts = parts
        self._session = parts.session
        self._turns = parts.turns
        self._cycle = cycle
        self._run = run

    async def follow(self) -> None:
        """Handle all events of the journal from the run's offset on."""
        run = self._run
        async for end, event in run.process.events(run.offset):
            run.event_start, run.offset = run.offset, end
            self._handle(event)
            self._parts.changes.send()

    def _handle(self, event: Event) -> None:
        owner = self._turns.turn_of_event(event)
        if owner is not None and owner is not self._turns.turn:  # it has ended, but left something in the background
            self._turns.apply(owner, event)
            self._turns.show(owner)
            return
        if isinstance(event, BackgroundTasks):
            self._run.background_tasks = len(event.tasks)
        shown = self._turns.turn
        if shown is None:
            if not starts_turn(event):
                return
            shown = self._cycle.begin(self._run, offset=self._run.event_start)
        self._turns.apply(shown, event)
        self._update_state(shown, event)
        self._turns.refresh()

    def _update_state(self, shown: ShownTurn, event: Event) -> None:
        """Note what an event says about the prompt, the session and the end of the turn."""
        match event:
            case Init():
                self._note_session(event)
                shown.taken = shown.taken or _is_unechoed(shown)
            case User(uuid=name) if shown.prompt is not None and name == prompt_uuid(shown.prompt):
                shown.taken = True
            case Assistant():
                self._run.keep_session(self._session)
            case Result():
                shown.taken = shown.taken or _is_unechoed(shown)
                self._run.keep_session(self._session)
                self._cycle.finish(self._run, shown)

    def _note_session(self, event: Init) -> None:
        """Note which session the process is in, and which commands it has."""
        self._run.session = event.session_id
        known = self._session.capabilities
        if event.slash_commands and not known.described:
            self._session.capabilities = replace(known, commands=tuple(map(Capability, event.slash_commands)))


def _is_unechoed(shown: ShownTurn) -> bool:
    """Check whether the prompt is one of Claude's own commands, which are not echoed: a turn that begins is theirs."""
    return shown.prompt is not None and shown.prompt.is_command
