"""The agent of a conversation: runs one `claude` process after another, feeds it prompts and follows its journal."""

import asyncio
import secrets
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from bot.config import Choices, Project
from bot.conversations.agent_state import Asleep, Ending, Idle, Starting, State, Working
from bot.conversations.attachments import content
from bot.conversations.capabilities import decode
from bot.conversations.launch import launch, mode
from bot.conversations.ports import Ports, Thread
from bot.conversations.prompt_queue import PromptQueue
from bot.conversations.run_token import hash_token, new_token
from bot.conversations.session import Session
from bot.conversations.session_recap import RECALLED, recap
from bot.conversations.shown_turns import KEPT_TURNS, ShownTurn, ShownTurns
from bot.conversations.wakeup import Wakeup
from bot.errors import ClaudeError
from bot.events import Assistant, BackgroundTasks, Event, ExitCause, Init, Result, User
from bot.message_names import TURN_NOTICE
from bot.ports import ClaudeProcess
from bot.records import Prompt, RunRecord, TurnRecord
from bot.render.turns.errors import process_died
from bot.render.turns.turn_notice import turn_notice
from bot.status import Capabilities, Capability
from bot.transcript import starts_turn

Json = Mapping[str, Any]

INTERRUPT_AGAIN = 0.3
"""Seconds between two interrupts of a turn that somebody has stopped: the CLI forgets one that comes too early."""
WARM = 90.0
"""Seconds that a process waits for the prompt that it was started for, while somebody was typing."""
START_WITHIN = 20.0
NOT_RUNNING = "Claude is not running here: write to start it."


class Warmth(Enum):
    """Why a process is wanted before anything has been said."""

    TYPING = "typing"
    STARTUP = "startup"


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a choice: the running process has taken it, or the next one will."""

    now: bool
    refusal: str = ""
    """Why the process did not take it."""


class Agent:
    """Owns the process: nothing else starts it, speaks to it or ends it. `live` is a task of its own."""

    def __init__(self, session: Session, queue: PromptQueue, turns: ShownTurns, thread: Thread, ports: Ports) -> None:
        self.state: State = Asleep()
        self.closing = False
        """The conversation comes to its end: no process is started any more."""
        self.wakeup = Wakeup()
        self.capabilities = Capabilities()
        self.session = session
        self.queue = queue
        self.turns = turns
        self._thread = thread
        self._ports = ports
        self._id = session.record.id
        self._warmth: Warmth | None = None
        self._started_with: Project | None = None
        """The settings that the process was started with, as far as it has not been told of others."""
        self._background = 0
        """How many tasks go on in the process beside its turn."""
        self._offset = 0
        self._event_at = 0
        """Where the event begins that is being taken."""
        self._announced_session = session.record.session
        """The session that Claude named last; it can be resumed once Claude has answered in it."""

    @property
    def run(self) -> ClaudeProcess | None:
        match self.state:
            case Idle(run=run) | Working(run=run) | Ending(run=run):
                return run
        return None

    @property
    def listening(self) -> ClaudeProcess | None:
        """The process, if it can be spoken to."""
        return run if (run := self.run) is not None and run.listens else None

    @property
    def warming(self) -> bool:
        """A process is there, or is about to be, for a prompt that has not come yet."""
        return self._warmth is not None or (isinstance(self.state, Idle) and self.state.unused)

    # What others want of it

    def warm(self, warmth: Warmth = Warmth.TYPING) -> None:
        """Start a process before anything is said."""
        if not self.closing and (self.run is None or isinstance(self.state, Ending)):
            self._warmth = warmth
            self.wakeup.send()

    async def interrupt(self) -> bool:
        """Interrupt the turn, once; False where only ending the process would help."""
        run, turn = self.listening, self.turns.turn
        if run is None or turn is None or turn.stopping:
            return False
        turn.stopping = True
        with suppress(ClaudeError):  # it did not answer, or has just ended: a second /stop is stronger
            await run.interrupt()
        return True

    async def halt(self) -> None:
        """End the process because somebody said so: a prompt that it had not begun with does not come back."""
        if self.turns.turn is not None:
            self.turns.turn.stopping = True
        await self.end()

    async def end(self) -> None:
        """End the process; a prompt that it had not begun with runs in the next one."""
        if (run := self.run) is not None:
            self.state = Ending(run)
            await run.end()

    async def renew(self, session: str | None) -> None:
        """End the process, and go on with another session, or with a new one."""
        await self.end()
        self._announced_session = session
        self.session.keep(session)

    async def control(self, subtype: str, *, start: bool = False, within: float = 10.0, **fields: Any) -> Json:
        """Ask the process itself for something; raises ClaudeError if it won't, or there is none."""
        if start:
            self.warm()
            with suppress(TimeoutError):
                async with asyncio.timeout(START_WITHIN):
                    await self._until(lambda: self._warmth is None)
        if (run := self.listening) is None:
            raise ClaudeError(NOT_RUNNING)
        answer = await run.control(subtype, within, **fields)
        if subtype == "initialize":
            self.capabilities = decode(answer)
        return answer

    async def choose(self, own: Choices) -> Applied:
        """Keep what was chosen for this thread; the process is told, or replaced when it is idle."""
        before = self._thread.project
        self.session.choose(own)
        now = self._thread.project
        told = {"model": now.model, "permission_mode": now.permission_mode}
        if self.listening is None or self._started_with is None or before.model_copy(update=told) != now:
            self.wakeup.send()
            return Applied(now=False)
        self._started_with = self._started_with.model_copy(update=told)
        try:
            if before.model != now.model:
                await self.control("set_model", model=now.model or "default")
        except ClaudeError as error:
            return Applied(now=False, refusal=str(error))
        try:
            if before.permission_mode != now.permission_mode:
                await self.control("set_permission_mode", mode=mode(now, now))
        except ClaudeError:  # some modes have to be there from the start
            self._started_with = before
            self.wakeup.send()
            return Applied(now=False)
        return Applied(now=True)

    async def settle(self) -> None:
        """Wait until all that was said to the process is written."""
        if self.run is not None:
            await self.run.spoken()

    # One process after another

    async def live(self) -> None:
        """Take up what an earlier bot left, then serve prompts until closed."""
        await self._take_up()
        while True:
            await self._until(lambda: self.queue.due or self._warmth is not None or self.closing)
            if self.closing:
                break
            await self._run()
        self._thread.channel.working(on=False)
        await self._thread.channel.settled()

    async def _take_up(self) -> None:
        store = self._ports.store
        self.turns.tidy(self.queue.views)
        self.queue.show_held()
        for turn in store.unshown_turns(self._id):
            self.turns.show(await self._replay(turn))
            self.turns.note_once_shown(turn.id)
        for record in store.live_runs(self._id):
            async with self._ports.host.adopt(record) as run:
                await self._adopt(run)
            self._ended(run)
        self._withdraw_all()
        self.turns.offer_allow_all()

    async def _adopt(self, run: ClaudeProcess) -> None:
        """Go on with a process that an earlier bot started."""
        self.state = Idle(run)
        self._started_with = self._thread.project
        turns = self._ports.store.turns(run.id)
        for turn in [turn for turn in turns if turn.end is not None][-KEPT_TURNS:]:
            self.turns.remember(await self._replay(turn))
        if turns and turns[-1].end is None:
            self.turns.resume(turns[-1], self.queue.claim(turns[-1].prompt))
            self.state = Working(run)
        await self._attend(run, turns[-1].end or turns[-1].offset if turns else 0, adopted=True)

    async def _replay(self, record: TurnRecord) -> ShownTurn:
        """Read an ended turn again: its journal, and what was decided in it, tell how it looks."""
        shown = self.turns.again(record)
        turn = shown.turn
        if record.end is None or record.end == record.offset:  # taken back: it shows nothing
            return shown
        async with self._ports.host.adopt(RunRecord(record.run, self._id, "", 0.0)) as run:
            async for end, event in run.events(record.offset):
                if end <= record.end or turn.owns(event):
                    self.turns.take(shown, event)
            if turn.ended is None:
                turn.fail(self._why(run))
        return shown

    async def _run(self) -> None:
        """One process, from its first prompt to its end."""
        token, ports = new_token(), self._ports
        record = RunRecord(secrets.token_hex(8), self._id, hash_token(token), ports.clock())
        ports.store.add_run(record)
        self._offset = 0
        self.state = Starting()
        try:
            if ports.prepare is not None:
                await ports.prepare(self._id)
            project = self._thread.project
            async with ports.host.run(launch(project, self.session.record, record.id, token)) as run:
                ports.store.set_process(run.id, run.pid or 0, run.started)
                self._started_with = project
                self.state = Idle(run, unused=True)
                if self.closing or not (self.queue.due or self._warmth):  # somebody said stop while it was started
                    await self.end()
                await self._attend(run, 0)
        except ClaudeError as error:
            self._warmth = None
            self._fail(str(error))
            ports.store.end_run(record.id, ports.clock())
        else:
            self._ended(run)
        finally:
            self.state = Asleep()
            self.wakeup.send()

    async def _attend(self, run: ClaudeProcess, offset: int, *, adopted: bool = False) -> None:
        """Speak to a process, if it can be spoken to, and hear it until it has ended."""
        async with asyncio.TaskGroup() as tasks:
            speaking = []
            if run.listens:
                speaking = [tasks.create_task(self._feed(run)), tasks.create_task(self._interrupt_again(run))]
                if adopted:
                    speaking.append(tasks.create_task(self._unteach(run)))
                if self._warmth and not self.queue.due:
                    speaking.append(tasks.create_task(_rehearse(run)))
            await self._follow(run, offset)
            for task in speaking:
                task.cancel()

    async def _feed(self, run: ClaudeProcess) -> None:
        """Give the process one prompt after another; let it go when nothing happens for long."""
        for_typing = self._warmth is Warmth.TYPING and not self.queue.due
        patience = min(WARM, self._thread.idle) if for_typing else self._thread.idle
        self._warmth = None
        self.wakeup.send()
        while True:
            try:
                async with asyncio.timeout(patience):
                    await self._until(lambda: isinstance(self.state, Idle) and (self.queue.due or self._replaceable))
                finished = self._replaceable
            except TimeoutError:
                finished = isinstance(self.state, Idle) and not self._background
            if finished:
                self.state = Ending(run, asked=False)
                run.finish()
                return
            if isinstance(self.state, Idle) and self.queue.due:
                patience = self._thread.idle
                await self._give(run, self.queue.take())

    async def _give(self, run: ClaudeProcess, prompt: Prompt) -> None:
        """Begin a turn with a prompt."""
        self._begin(prompt)
        self._ports.store.set_prompt(prompt.id, "sent")
        with suppress(ClaudeError):  # it has just ended: the journal's reader finds out why
            before, self.session.lost = await self._recap() if self.session.lost else [], False
            await run.say([*before, *content(prompt, self._ports.host.image)], _uuid(prompt))

    @property
    def _replaceable(self) -> bool:
        """The process was started with other settings than those that count now, and nothing would be lost with it."""
        idle = isinstance(self.state, Idle) and not self._background
        return idle and self._started_with != self._thread.project

    async def _interrupt_again(self, run: ClaudeProcess) -> None:
        """Interrupt a turn that was stopped until it ends: a prompt that was on its way begins all the same."""
        while True:
            await self._until(lambda: self._stopping is not None)
            stopped = self._stopping
            with suppress(TimeoutError):
                async with asyncio.timeout(INTERRUPT_AGAIN):
                    await self._until(lambda: self._stopping is not stopped)  # noqa: B023 - awaited here
            if self._stopping is stopped:
                with suppress(ClaudeError):
                    await run.interrupt()

    @property
    def _stopping(self) -> ShownTurn | None:
        """The turn that somebody has stopped, as long as its process is to stay."""
        turn = self.turns.turn
        return turn if turn is not None and turn.stopping and not isinstance(self.state, Ending) else None

    async def _recap(self) -> list[Json]:
        """Give what a new session should know of the one that is lost; nothing where nothing was said."""
        said = []
        for turn, prompt in self._ports.store.told(self._id, RECALLED):
            answer = ""
            async with self._ports.host.adopt(RunRecord(turn.run, self._id, "", 0.0)) as run:
                async for end, event in run.events(turn.offset):
                    if isinstance(event, Result) and end == turn.end:
                        answer = event.text
            said.append((prompt, answer))
        return [{"type": "text", "text": recap(said)}] if said else []

    async def _unteach(self, run: ClaudeProcess) -> None:
        """Have a run that an older bot started ask for everything: it may know rules, and a mode, of its own."""
        with suppress(ClaudeError):
            await run.control("apply_flag_settings", settings={"permissions": {"allow": []}})
            await self._until(lambda: any(known.turn.session.mode for known in self.turns))
            if any(known.turn.session.mode == "acceptEdits" for known in self.turns):
                await run.control("set_permission_mode", mode="default")

    # What the process says

    async def _follow(self, run: ClaudeProcess, offset: int) -> None:
        """Take every event until the process has ended."""
        self._offset = offset
        async for end, event in run.events(offset):
            self._event_at, self._offset = self._offset, end
            self._take(event)
            self.wakeup.send()

    def _take(self, event: Event) -> None:
        owner = self.turns.owner(event)
        if owner is not None and owner is not self.turns.turn:
            self.turns.take(owner, event)
            self.turns.show(owner)
            return
        if isinstance(event, BackgroundTasks):
            self._background = len(event.tasks)
        shown = self.turns.turn
        if shown is None:
            if not starts_turn(event):
                return
            shown = self._begin(None, self._event_at)
        self.turns.take(shown, event)
        match event:
            case Init(session_id=session, slash_commands=commands):
                self._announced_session = session
                if commands and not self.capabilities.described:
                    named = tuple(map(Capability, commands))
                    self.capabilities = replace(self.capabilities, commands=named)
                # One of Claude's own commands is not echoed: a turn that begins now is its.
                shown.taken = shown.taken or (shown.prompt is not None and shown.prompt.is_command)
            case User(uuid=name) if shown.prompt is not None and name == _uuid(shown.prompt):
                shown.taken = True
            case Assistant():
                self.session.keep(self._announced_session)
            case Result():
                shown.taken = shown.taken or (shown.prompt is not None and shown.prompt.is_command)
                self.session.keep(self._announced_session)
                self._finish_turn(shown)
        self.turns.refresh()

    def _begin(self, prompt: Prompt | None, offset: int | None = None) -> ShownTurn:
        """Open a turn: for a prompt, or because Claude has begun by itself (at this place in the journal)."""
        # Only now, not at the end of the last turn: its requests may end after it.
        self._ports.desk.because(self._id, None)
        run = self.run
        if isinstance(self.state, Idle):
            self.state = Working(self.state.run)
        return self.turns.begin(run.id if run else "", self._offset if offset is None else offset, prompt)

    def begin_unprompted(self) -> ShownTurn:
        """Open a turn for a request that came before anything that Claude says about it."""
        return self._begin(None)

    def _finish_turn(self, shown: ShownTurn) -> None:
        self.turns.finish(shown, self._offset)
        if isinstance(self.state, Working):
            self.state = Idle(self.state.run)
        if self._thread.parent is not None:
            message = turn_notice(shown.turn, shown.record, self._thread.project.mention)
            self._thread.parent.show(TURN_NOTICE.of(self._id), lambda: [message])
        if shown.prompt is not None and not shown.taken:
            # Claude had begun something by itself just before the prompt, whose turn comes now
            self._begin(shown.prompt).stopping = shown.stopping

    # Its end

    def _ended(self, run: ClaudeProcess) -> None:
        """Close the books on a process that is gone."""
        asked = isinstance(self.state, Ending) and self.state.asked
        self.state = Asleep()
        self._background = 0
        self.turns.forget_earlier()
        self._withdraw_all()
        self._ports.store.end_run(run.id, self._ports.clock())
        if (shown := self.turns.turn) is None:
            return
        never_begun = shown.prompt is not None and not shown.taken and not shown.stopping
        if shown.prompt is not None and never_begun and (asked or run.exit.status is None):
            self.queue.put_back(shown.prompt)
            self.turns.take_back(shown, shown.prompt)
            return
        if not (asked or shown.stopping):
            shown.turn.fail(self._why(run))
        self._give_up(shown)

    def _withdraw_all(self) -> None:
        for ticket in self._ports.store.open_tickets(self._id):
            self._ports.desk.withdraw(ticket.id, "Claude's process has ended")

    def _why(self, run: ClaudeProcess) -> str:
        end = run.exit
        if self.session.record.session is not None and end.cause is ExitCause.SESSION_LOST:
            self.session.lose()
            return (
                "Claude no longer knows this session. Write again to start a new one here; Claude is told what was "
                "said before."
            )
        return process_died(end)

    def _fail(self, sentence: str) -> None:
        """Say in the thread why Claude could not start for the prompt that wanted it."""
        if not self.queue.due:  # it was only to be ready for one
            return
        shown = self._begin(self.queue.take())
        shown.turn.fail(sentence)
        self._give_up(shown)

    def _give_up(self, shown: ShownTurn) -> None:
        """End a turn that will see no result."""
        shown.taken = True
        self._finish_turn(shown)

    async def _until(self, condition: Callable[[], bool]) -> None:
        await self.wakeup.until(condition, self.queue.until_due)


async def _rehearse(run: ClaudeProcess) -> None:
    """Have a process gather its tools and its context before the first prompt: that is half of what that would take."""
    with suppress(ClaudeError):
        await run.control("get_context_usage")


def _uuid(prompt: Prompt) -> str:
    return str(uuid.UUID(int=prompt.id))
