"""The agent of a conversation: runs one `claude` process after another for the prompts of a thread."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.config import Choices
from bot.conversations.agent_run import AgentRun
from bot.conversations.agent_state import AgentState, Ending, Idle, Lifecycle
from bot.conversations.claude_capabilities import decode
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.earlier_turns import describe_exit, replay
from bot.conversations.launch_options import launch, mode
from bot.conversations.process_io import ProcessIO
from bot.conversations.run_token import hash_token, new_token
from bot.conversations.shown_turns import KEPT_TURNS, ShownTurn
from bot.conversations.turn_cycle import TurnCycle
from bot.conversations.warm_up import WarmUpReason, longest_wait
from bot.errors import BotError, ClaudeError
from bot.events import ExitCause
from bot.ports import ClaudeProcess
from bot.records import RunRecord

START_WITHIN = 20.0
NOT_RUNNING = "Claude is not running here. Write a message to start it."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChoiceResult:
    """Whether the running process applied a choice; otherwise the next one will."""

    applied: bool
    refusal: str = ""
    """Why the process did not apply it."""


class Agent:
    """Owns the process: nothing else starts it, writes to it or ends it. `serve` runs in its own task."""

    def __init__(self, parts: ConversationParts) -> None:
        self._parts = parts
        self._session = parts.session
        self._queue = parts.queue
        self._turns = parts.turns
        self._thread = parts.thread
        self._ports = parts.ports
        self._lifecycle = Lifecycle(parts.changes)
        self._cycle = TurnCycle(parts, self._lifecycle)
        self._current_run: AgentRun | None = None
        self._warm_up: WarmUpReason | None = None
        """Why a process must be started although no prompt is due; None if it is running or not needed."""

    @property
    def state(self) -> AgentState:
        return self._lifecycle.state

    @property
    def process(self) -> ClaudeProcess | None:
        """The process, if there is one, even while it is ending."""
        return self._lifecycle.process

    @property
    def warming(self) -> bool:
        """Whether a process is running or starting for a prompt that has not been written yet."""
        return self._warm_up is not None or (isinstance(self.state, Idle) and self.state.unused)

    def is_current(self, run: str) -> bool:
        """Check whether this is the run of the current process."""
        return not self._lifecycle.closing and self.process is not None and self.process.id == run

    # Called by the conversation

    def warm(self, reason: WarmUpReason = WarmUpReason.TYPING) -> None:
        """Start a process before there is a prompt."""
        if not self._lifecycle.closing and (self.process is None or isinstance(self.state, Ending)):
            self._warm_up = reason
            self._parts.changes.send()

    async def interrupt(self) -> bool:
        """Interrupt the turn, once; return False if only ending the process would help."""
        process, turn = self._lifecycle.listening, self._turns.turn
        if process is None or turn is None or turn.stopping:
            return False
        turn.stopping = True
        with suppress(ClaudeError):  # it did not answer, or has just ended: a second /stop is stronger
            await process.interrupt()
        return True

    async def stop_process(self) -> None:
        """End the process because a person asked; a prompt that it had not started on is not queued again."""
        if self._turns.turn is not None:
            self._turns.turn.stopping = True
        await self.end()

    async def end(self) -> None:
        """End the process; a prompt that it had not started on runs in the next one."""
        if (process := self._lifecycle.end()) is not None:
            await process.end()

    async def switch_session(self, session: str | None) -> None:
        """End the process, and continue with another session or a new one."""
        self._session.switch(session)  # first: a prompt that is due must not start a process in the old one
        await self.end()

    async def close(self) -> None:
        """End the process and start no other, so that `serve` returns."""
        self._lifecycle.closing = True
        self._warm_up = None
        self._parts.changes.send()
        await self.end()

    def begin_unprompted(self) -> ShownTurn:
        """Begin a turn for a request that arrived before any event of its turn."""
        return self._cycle.begin(self._current_run)

    async def control(
        self, subtype: str, *, start: bool = False, within: float = 10.0, **fields: Any
    ) -> Mapping[str, Any]:
        """Send a control request to the process; raises ClaudeError if it fails or no process is running."""
        if start:
            self.warm()
            with suppress(TimeoutError):
                async with asyncio.timeout(START_WITHIN):
                    await self._parts.until(lambda: self._warm_up is None)
        if (process := self._lifecycle.listening) is None:
            raise ClaudeError(NOT_RUNNING)
        answer = await process.control(subtype, within, **fields)
        if subtype == "initialize":
            self._session.capabilities = decode(answer)
        return answer

    async def choose(self, own: Choices) -> ChoiceResult:
        """Remember this thread's choices, and apply them to the process, or replace it when it is idle."""
        before = self._thread.project
        self._session.choose(own)
        now = self._thread.project
        applicable = {"model": now.model, "permission_mode": now.permission_mode}
        run = self._current_run
        if self._lifecycle.listening is None or run is None or before.model_copy(update=applicable) != now:
            self._parts.changes.send()
            return ChoiceResult(applied=False)
        run.settings = run.settings.model_copy(update=applicable)
        try:
            if before.model != now.model:
                await self.control("set_model", model=now.model or "default")
        except ClaudeError as error:
            return ChoiceResult(applied=False, refusal=str(error))
        try:
            if before.permission_mode != now.permission_mode:
                await self.control("set_permission_mode", mode=mode(now, now))
        except ClaudeError:  # some modes only work if the process starts in them
            run.settings = before
            self._parts.changes.send()
            return ChoiceResult(applied=False)
        return ChoiceResult(applied=True)

    # For a restart

    async def flush(self) -> None:
        """Wait until everything sent to the process is written."""
        if self.process is not None:
            await self.process.flush()

    def hand_over(self) -> tuple[str, int] | None:
        """Return the run and the descriptor with which the next bot can write to it; None if that isn't possible."""
        if self.process is None or (descriptor := self.process.hand_over()) is None:
            return None
        return self.process.id, descriptor

    # One process after another

    async def serve(self) -> None:
        """Recover what an earlier bot left, then run prompts until the conversation is closed."""
        await self._recover()
        while not self._lifecycle.closing:
            await self._parts.until(lambda: self._needs_process or self._lifecycle.closing)
            if self._needs_process:
                await self._run_process()
        self._thread.channel.working(on=False)
        await self._thread.channel.settled()

    @property
    def _needs_process(self) -> bool:
        """Whether a process is needed for a prompt that is due or expected."""
        return not self._lifecycle.cancelled and (self._queue.due or self._warm_up is not None)

    async def _recover(self) -> None:
        """Show what an earlier bot may have left unshown, and adopt the processes that it left running."""
        store = self._ports.store
        self._turns.clean_up(self._queue.note_views)
        self._queue.update_hold_note()
        for turn in store.unshown_turns(self._parts.id):
            if turn.requeued:
                self._thread.channel.show(turn.id, list)
            else:
                self._turns.show(await replay(turn, self._parts))
            self._turns.note_once_shown(turn.id)
        for record in store.live_runs(self._parts.id):
            async with self._ports.host.adopt(record) as process:
                run = await self._adopt(process)
            self._process_ended(run)
        self._withdraw_requests()
        self._turns.offer_allow_all()

    async def _adopt(self, process: ClaudeProcess) -> AgentRun:
        """Continue with a process that an earlier bot started, until it has ended."""
        run = self._prepare_run()(process)
        self._lifecycle.started(process, unused=False)
        turns = [turn for turn in self._ports.store.turns(process.id) if not turn.requeued]
        for turn in [turn for turn in turns if turn.end is not None][-KEPT_TURNS:]:
            self._turns.remember(await replay(turn, self._parts))
        if turns:
            run.offset = turns[-1].end or turns[-1].offset
            if turns[-1].end is None:
                self._turns.resume(turns[-1], self._queue.claim(turns[-1].prompt))
                self._lifecycle.begin_turn()
        if self._lifecycle.closing:
            await self.end()
        await self._communicate(run, adopted=True)
        return run

    async def _run_process(self) -> None:
        """Run one process, from its start to its end."""
        token, ports = new_token(), self._ports
        record = RunRecord(secrets.token_hex(8), self._parts.id, hash_token(token), ports.clock())
        ports.store.add_run(record)
        self._lifecycle.start()
        run: AgentRun | None = None
        try:
            async with AsyncExitStack() as block:
                if (run := await self._start(block, record.id, token)) is not None:
                    await self._communicate(run)
            if run is not None:
                self._process_ended(run)
            else:
                ports.store.end_run(record.id, ports.clock())
        finally:
            self._current_run = None
            self._lifecycle.ended()

    async def _start(self, block: AsyncExitStack, run: str, token: str) -> AgentRun | None:
        """Start a process that ends with the block; return None if it fails (the thread says so) or is not needed."""
        ports = self._ports
        try:
            if ports.prepare is not None:
                await ports.prepare(self._parts.id)
            if not self._needs_process:  # someone used /stop while the folder was prepared
                return None
            to_run = self._prepare_run()
            plan = launch(self._thread.project, self._session.record, run, token)
            process = await block.enter_async_context(ports.host.run(plan))
        except Exception as error:  # no error may end the conversation
            if not isinstance(error, BotError | OSError):
                log.exception("Claude could not be started in thread %s.", self._parts.id)
            self._start_failed(error)
            return None
        ports.store.set_process(process.id, process.pid or 0, process.started)
        needed = self._needs_process
        self._lifecycle.started(process)
        if not needed:  # someone used /stop while the process was starting
            await self.end()
        return to_run(process)

    def _prepare_run(self) -> Callable[[ClaudeProcess], AgentRun]:
        """Capture the settings and the session before the process starts: they may change while it does."""
        session = self._session
        return partial(
            AgentRun, settings=self._thread.project, session=session.record.session, session_number=session.number
        )

    async def _communicate(self, run: AgentRun, *, adopted: bool = False) -> None:
        """Write to a process, if that is possible, and read its journal until it has ended."""
        self._current_run = run
        reason = self._warm_up if not self._queue.due else None
        first_prompt_within = longest_wait(reason, self._thread.idle)
        if run.process.listens:
            self._warm_up = None
            self._parts.changes.send()
        io = ProcessIO(self._parts, self._lifecycle, self._cycle, run)
        await io.run(first_prompt_within, warming_up=reason is not None, adopted=adopted)

    # The end of a process

    def _process_ended(self, run: AgentRun) -> None:
        """Withdraw the requests of a process that has ended, and end its turn."""
        asked = self._lifecycle.ended()
        self._current_run = None
        self._turns.forget_earlier()
        self._withdraw_requests()
        self._ports.store.end_run(run.process.id, self._ports.clock())
        if (shown := self._turns.turn) is None:
            return
        end = run.process.exit
        never_started = shown.prompt is not None and not shown.taken and not shown.stopping
        if shown.prompt is not None and never_started and (asked or end.status is None):
            self._queue.put_back(shown.prompt)
            self._turns.requeue(shown, shown.prompt)
            return
        if not (asked or shown.stopping):
            if end.cause is ExitCause.SESSION_LOST:
                run.lose_session(self._session)
            shown.turn.fail(describe_exit(end))
        self._cycle.give_up(run, shown)

    def _withdraw_requests(self) -> None:
        for ticket in self._ports.store.open_tickets(self._parts.id):
            self._ports.desk.withdraw(ticket.id, "Claude's process has ended")

    def _start_failed(self, error: Exception) -> None:
        """Say in the thread why Claude could not be started for a prompt."""
        self._warm_up = None
        if not self._queue.due:  # it was only a warm-up
            return
        shown = self._cycle.begin(None, self._queue.take())
        shown.turn.fail(_start_failure(error))
        self._cycle.give_up(None, shown)


def _start_failure(error: Exception) -> str:
    match error:
        case BotError():
            return str(error)
        case OSError():
            place = f" ({error.filename})" if error.filename else ""
            return f"Claude can't be started: {error.strerror or error}{place}. Fix that and send your message again."
    return "Claude can't be started because of an error in the bot; its log has the details. Write again to retry."
