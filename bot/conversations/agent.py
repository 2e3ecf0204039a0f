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
from bot.conversations.capabilities import decode
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.earlier_turns import replay, why_ended
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
NOT_RUNNING = "Claude is not running here: write to start it."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChoiceResult:
    """What became of a choice: the running process has taken it, or the next one will."""

    now: bool
    refusal: str = ""
    """Why the process did not take it."""


class Agent:
    """Owns the process: nothing else starts it, speaks to it or ends it. `live` is a task of its own."""

    def __init__(self, parts: ConversationParts) -> None:
        self._parts = parts
        self._session = parts.session
        self._queue = parts.queue
        self._turns = parts.turns
        self._thread = parts.thread
        self._ports = parts.ports
        self._lifecycle = Lifecycle(parts.changes)
        self._cycle = TurnCycle(parts, self._lifecycle)
        self._run: AgentRun | None = None
        self._warm_up: WarmUpReason | None = None
        """Why a process is wanted that is not there yet, although no prompt is due."""

    @property
    def state(self) -> AgentState:
        return self._lifecycle.state

    @property
    def process(self) -> ClaudeProcess | None:
        """The process, if there is one, even while it ends."""
        return self._lifecycle.process

    @property
    def warming(self) -> bool:
        """A process is there, or is about to be, for a prompt that has not come yet."""
        return self._warm_up is not None or (isinstance(self.state, Idle) and self.state.unused)

    def is_current(self, run: str) -> bool:
        """Say whether a run is the one that is going on."""
        return not self._lifecycle.closing and self.process is not None and self.process.id == run

    # What the conversation wants of it

    def warm(self, reason: WarmUpReason = WarmUpReason.TYPING) -> None:
        """Start a process before anything is said."""
        if not self._lifecycle.closing and (self.process is None or isinstance(self.state, Ending)):
            self._warm_up = reason
            self._parts.changes.send()

    async def interrupt(self) -> bool:
        """Interrupt the turn, once; False where only ending the process would help."""
        process, turn = self._lifecycle.listening, self._turns.turn
        if process is None or turn is None or turn.stopping:
            return False
        turn.stopping = True
        with suppress(ClaudeError):  # it did not answer, or has just ended: a second /stop is stronger
            await process.interrupt()
        return True

    async def halt(self) -> None:
        """End the process because somebody said so: a prompt that it had not begun with does not come back."""
        if self._turns.turn is not None:
            self._turns.turn.stopping = True
        await self.end()

    async def end(self) -> None:
        """End the process; a prompt that it had not begun with runs in the next one."""
        if (process := self._lifecycle.end()) is not None:
            await process.end()

    async def renew(self, session: str | None) -> None:
        """End the process, and go on with another session, or with a new one."""
        self._session.renew(session)  # first: a prompt that is due must not start a process in the old one
        await self.end()

    async def close(self) -> None:
        """End the process and start no other: `live` comes to its end."""
        self._lifecycle.closing = True
        self._warm_up = None
        self._parts.changes.send()
        await self.end()

    def begin_unprompted(self) -> ShownTurn:
        """Begin a turn for a request that came before anything that Claude says about it."""
        return self._cycle.begin(self._run)

    async def control(
        self, subtype: str, *, start: bool = False, within: float = 10.0, **fields: Any
    ) -> Mapping[str, Any]:
        """Ask the process itself for something; raises ClaudeError if it won't, or there is none."""
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
        """Keep what was chosen for this thread; the process is told, or replaced when it is idle."""
        before = self._thread.project
        self._session.choose(own)
        now = self._thread.project
        told = {"model": now.model, "permission_mode": now.permission_mode}
        run = self._run
        if self._lifecycle.listening is None or run is None or before.model_copy(update=told) != now:
            self._parts.changes.send()
            return ChoiceResult(now=False)
        run.settings = run.settings.model_copy(update=told)
        try:
            if before.model != now.model:
                await self.control("set_model", model=now.model or "default")
        except ClaudeError as error:
            return ChoiceResult(now=False, refusal=str(error))
        try:
            if before.permission_mode != now.permission_mode:
                await self.control("set_permission_mode", mode=mode(now, now))
        except ClaudeError:  # some modes have to be there from the start
            run.settings = before
            self._parts.changes.send()
            return ChoiceResult(now=False)
        return ChoiceResult(now=True)

    # Another bot takes this one's place

    async def settle(self) -> None:
        """Wait until all that was said to the process is written."""
        if self.process is not None:
            await self.process.spoken()

    def hand_over(self) -> tuple[str, int] | None:
        """Give the run and a descriptor through which the next bot goes on speaking to it; None where it can't."""
        if self.process is None or (descriptor := self.process.hand_over()) is None:
            return None
        return self.process.id, descriptor

    # One process after another

    async def live(self) -> None:
        """Take up what an earlier bot left, then serve prompts until closed."""
        await self._take_up()
        while not self._lifecycle.closing:
            await self._parts.until(lambda: self._wanted or self._lifecycle.closing)
            if self._wanted:
                await self._serve()
        self._thread.channel.working(on=False)
        await self._thread.channel.settled()

    @property
    def _wanted(self) -> bool:
        """A process is wanted: for a prompt that is due, or for one that is about to come."""
        return not self._lifecycle.cancelled and (self._queue.due or self._warm_up is not None)

    async def _take_up(self) -> None:
        """Show what an earlier bot may have left unshown, and go on with the processes that it left running."""
        store = self._ports.store
        self._turns.tidy(self._queue.views)
        self._queue.show_held()
        for turn in store.unshown_turns(self._parts.id):
            if turn.taken_back:
                self._thread.channel.show(turn.id, list)
            else:
                self._turns.show(await replay(turn, self._parts))
            self._turns.note_once_shown(turn.id)
        for record in store.live_runs(self._parts.id):
            async with self._ports.host.adopt(record) as process:
                run = await self._inherit(process)
            self._ended(run)
        self._withdraw_all()
        self._turns.offer_allow_all()

    async def _inherit(self, process: ClaudeProcess) -> AgentRun:
        """Go on with a process that an earlier bot started, until it has ended."""
        run = self._next_run()(process)
        self._lifecycle.started(process, unused=False)
        turns = [turn for turn in self._ports.store.turns(process.id) if not turn.taken_back]
        for turn in [turn for turn in turns if turn.end is not None][-KEPT_TURNS:]:
            self._turns.remember(await replay(turn, self._parts))
        if turns:
            run.offset = turns[-1].end or turns[-1].offset
            if turns[-1].end is None:
                self._turns.resume(turns[-1], self._queue.claim(turns[-1].prompt))
                self._lifecycle.begin_turn()
        if self._lifecycle.closing:
            await self.end()
        await self._attend(run, inherited=True)
        return run

    async def _serve(self) -> None:
        """Run one process, from its first prompt to its end."""
        token, ports = new_token(), self._ports
        record = RunRecord(secrets.token_hex(8), self._parts.id, hash_token(token), ports.clock())
        ports.store.add_run(record)
        self._lifecycle.start()
        run: AgentRun | None = None
        try:
            async with AsyncExitStack() as block:
                if (run := await self._start(block, record.id, token)) is not None:
                    await self._attend(run)
            if run is not None:
                self._ended(run)
            else:
                ports.store.end_run(record.id, ports.clock())
        finally:
            self._run = None
            self._lifecycle.gone()

    async def _start(self, block: AsyncExitStack, run: str, token: str) -> AgentRun | None:
        """Start a process that ends with the block; None if that failed (the thread is told) or is no longer wanted."""
        ports = self._ports
        try:
            if ports.prepare is not None:
                await ports.prepare(self._parts.id)
            if not self._wanted:  # somebody said stop while the folder was prepared
                return None
            next_run = self._next_run()
            plan = launch(self._thread.project, self._session.record, run, token)
            process = await block.enter_async_context(ports.host.run(plan))
        except Exception as error:  # whatever it is, the conversation goes on
            if not isinstance(error, BotError | OSError):
                log.exception("Claude could not be started in thread %s.", self._parts.id)
            self._not_started(error)
            return None
        ports.store.set_process(process.id, process.pid or 0, process.started)
        wanted = self._wanted
        self._lifecycle.started(process)
        if not wanted:  # somebody said stop while it was started
            await self.end()
        return next_run(process)

    def _next_run(self) -> Callable[[ClaudeProcess], AgentRun]:
        """Note what a process that starts now begins with; this may have changed when it is there."""
        session = self._session
        return partial(
            AgentRun, settings=self._thread.project, session=session.record.session, renewals=session.renewals
        )

    async def _attend(self, run: AgentRun, *, inherited: bool = False) -> None:
        """Speak to a process, if it can be spoken to, and hear it until it has ended."""
        self._run = run
        ahead = self._warm_up if not self._queue.due else None
        patience = longest_wait(ahead, self._thread.idle)
        if run.process.listens:
            self._warm_up = None
            self._parts.changes.send()
        io = ProcessIO(self._parts, self._lifecycle, self._cycle, run)
        await io.hold(patience, ahead=ahead is not None, inherited=inherited)

    # The end of a process

    def _ended(self, run: AgentRun) -> None:
        """Close the books on a process that is gone: its requests, and the turn that was going on."""
        asked = self._lifecycle.gone()
        self._run = None
        self._turns.forget_earlier()
        self._withdraw_all()
        self._ports.store.end_run(run.process.id, self._ports.clock())
        if (shown := self._turns.turn) is None:
            return
        end = run.process.exit
        never_begun = shown.prompt is not None and not shown.taken and not shown.stopping
        if shown.prompt is not None and never_begun and (asked or end.status is None):
            self._queue.put_back(shown.prompt)
            self._turns.take_back(shown, shown.prompt)
            return
        if not (asked or shown.stopping):
            if end.cause is ExitCause.SESSION_LOST:
                run.lose_session(self._session)
            shown.turn.fail(why_ended(end))
        self._cycle.give_up(run, shown)

    def _withdraw_all(self) -> None:
        for ticket in self._ports.store.open_tickets(self._parts.id):
            self._ports.desk.withdraw(ticket.id, "Claude's process has ended")

    def _not_started(self, error: Exception) -> None:
        """Say in the thread why Claude could not start for the prompt that wanted it."""
        self._warm_up = None
        if not self._queue.due:  # it was only to be ready for one
            return
        shown = self._cycle.begin(None, self._queue.take())
        shown.turn.fail(_why_not_started(error))
        self._cycle.give_up(None, shown)


def _why_not_started(error: Exception) -> str:
    match error:
        case BotError():
            return str(error)
        case OSError():
            place = f" ({error.filename})" if error.filename else ""
            return f"Claude can't be started: {error.strerror or error}{place}. Correct that and write again."
    return "Claude can't be started because of an error in the bot. Its log says more; write again to try once more."
