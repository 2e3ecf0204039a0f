"""A conversation: say, ask, stop. Where the core meets Discord, Claude and the state file."""

import asyncio
import hashlib
import secrets
import time
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from bot.config import Project
from bot.desk import AskedDifferently, Asking, Desk
from bot.errors import ClaudeError
from bot.events import Assistant, BackgroundTasks, Event, Init, Result, User
from bot.launching import launch
from bot.messages import Message
from bot.ports import Channel, Claude, Running, Store
from bot.records import ConversationRecord, Prompt, RunRecord, TurnRecord
from bot.render.card import card
from bot.render.errors import died
from bot.render.status import Report
from bot.render.turn import TurnView
from bot.tickets import Decided, Open, Origin, Ticket, Withdrawn
from bot.transcript import Carried, Turn, starts_turn
from shared.protocol import Allow, Deny, Request

JOURNAL_LEAD = 0.5
"""Seconds that a request waits for its own line in the journal, so that its card stands below what led to it."""
QUEUED = Message("queued", "-# ⏳ Queued: it runs when Claude is done with what came before.")
QUEUE_VIEW = "queue-"
SESSION_UNKNOWN = "No conversation found"
WATCH = 0.3
"""Seconds between two looks of somebody who follows a turn from the terminal."""
KEPT_TURNS = 3
"""Turns that are kept after their end: what they left in the background still belongs to them."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a conversation has around it."""

    project: Project
    channel: Channel
    claude: Claude
    store: Store
    desk: Desk
    idle: float
    """Seconds of quiet after which the process is let go; the next prompt resumes the session."""
    clock: Callable[[], float] = time.time


@dataclass(slots=True)
class OnScreen:
    """The turn that is going on, and how it is shown."""

    record: TurnRecord
    turn: Turn
    view: TurnView
    prompt: Prompt | None = None
    taken: bool = False
    """Claude has begun with the prompt: its echo stands in the journal."""
    stopping: bool = False


class Conversation:
    """A Discord thread and the Claude session behind it; `live` is its own task."""

    def __init__(self, record: ConversationRecord, room: Room) -> None:
        self.record = record
        self.room = room
        self.queue = deque(room.store.waiting_prompts(record.id))
        self.tickets = {ticket.id: ticket for ticket in room.store.open_tickets(record.id)}
        """The open ones, and those of the turn on screen."""
        self.turn: OnScreen | None = None
        self.running: Running | None = None
        self.closing = False
        self._ending = False
        """The process has been told to end: what comes now is for the next one."""
        self._earlier: deque[OnScreen] = deque(maxlen=KEPT_TURNS)
        self._offset = 0
        self._event_at = 0
        """Where the event begins that is being taken."""
        self._session = record.session
        self._background = 0
        self._carried: Carried | None = None
        self._news = asyncio.Event()

    @property
    def waiting(self) -> list[Ticket]:
        """The requests that a person has to answer."""
        return [ticket for ticket in self.tickets.values() if isinstance(ticket.state, Open)]

    # What people do

    def say(self, prompt: Prompt) -> None:
        """Take a prompt: it runs now, or when those before it have."""
        if not self.room.store.add_prompt(prompt):
            return  # Discord delivers an event again after a lost connection
        self.queue.append(prompt)
        if self.turn is not None or len(self.queue) > 1:
            self.room.channel.show(_queue_view(prompt), lambda: [QUEUED])
        self._tell()

    def unsay(self, prompt: int) -> None:
        """Take back a prompt that has not run yet."""
        for waiting in [waiting for waiting in self.queue if waiting.id == prompt]:
            self.queue.remove(waiting)
            self.room.store.set_prompt(prompt, "dropped")
            self.room.channel.show(_queue_view(waiting), list)

    async def stop(self, who: str) -> str:
        """Interrupt the turn; with none going on, or asked again, end the process."""
        if self.running is None:
            return "Nothing is running here."
        self.room.desk.because(self.record.id, f"stopped by {who}")
        if self.turn is not None and not self.turn.stopping and self.running.listens:
            self.turn.stopping = True
            with suppress(ClaudeError):  # it did not answer, or has just ended: a second /stop is stronger
                await self.running.interrupt()
            return "Stopped. The session is kept: write to go on, or `/stop` again to end Claude's process."
        await self._end()
        return "Claude's process is ended. The session is kept: write to go on."

    async def renew(self) -> None:
        """Forget the session: the next prompt starts from nothing."""
        await self._end()
        self._keep_session(None)

    async def close(self, reason: str) -> None:
        """Come to an end in order: what Claude still says is shown, its open requests are withdrawn."""
        self.closing = True
        self.room.desk.because(self.record.id, reason)
        await self._end()
        self._tell()

    def report(self) -> Report:
        """Tell how things stand."""
        return Report(
            project=self.room.project.name,
            folder=str(self.room.project.folder),
            session=self.record.session,
            process=self.running.pid if self.running else None,
            working_since=self.turn.record.started_at if self.turn else None,
            waiting=tuple(ticket.request.tool_name for ticket in self.waiting),
            queued=len(self.queue),
        )

    async def watch(self, prompt: int) -> AsyncIterator[OnScreen]:
        """Yield a prompt's turn whenever something may have changed; ends when the prompt is no longer there."""
        on_screen: OnScreen | None = None
        while True:
            current = next((known for known in self._turns() if known.prompt and known.prompt.id == prompt), None)
            on_screen = current or on_screen
            if on_screen is not None:
                yield on_screen
            elif all(waiting.id != prompt for waiting in self.queue):
                return
            with suppress(TimeoutError):  # a ticket changes without an event
                async with asyncio.timeout(WATCH):
                    await self._news.wait()

    async def _end(self) -> None:
        if self.running is not None:
            self._ending = True
            await self.running.end()

    # What Claude does

    async def ask(self, run: str, request: Request) -> Allow | Deny:
        """Put a request on the desk, and wait for a person."""
        await self._appears(request.tool_use_id)
        if self.closing or self.running is None or self.running.id != run:
            return Deny(message="This run of Claude is over; nobody can be asked any more.")
        try:
            async with self.room.desk.open(
                self._asking(run, request), lambda ticket: self._place(ticket, request.tool_use_id)
            ) as waiting:
                return await waiting.decided()
        except AskedDifferently as doubt:
            return Deny(message=str(doubt))

    def ticket_changed(self, ticket: Ticket) -> None:
        """Show a ticket as it is now; the desk calls this."""
        self.tickets[ticket.id] = ticket
        if self.turn is not None:
            _settle(self.turn.turn, ticket)
        view = self.room.store.view_of_ticket(ticket.id)
        if view is not None and (self.turn is None or self.turn.record.id != view):
            self.room.store.set_shown(view, shown=False)
            self.room.channel.amend(view, card(ticket))
            self._note_once_shown(view)
            if not isinstance(ticket.state, Open):
                del self.tickets[ticket.id]
        self._refresh()

    async def _appears(self, tool_use_id: str) -> None:
        """Wait a moment for the request's own line in the journal."""
        with suppress(TimeoutError):
            async with asyncio.timeout(JOURNAL_LEAD):
                await self._until(lambda: any(known.turn.knows(tool_use_id) for known in self._turns()))

    def _asking(self, run: str, request: Request) -> Asking:
        project = self.room.project
        asker = next((known for known in self._turns() if known.turn.knows(request.tool_use_id)), self.turn)
        origin = Origin(
            project=project.name,
            folder=str(project.folder),
            prompted_by=asker.record.prompted_by if asker else None,
            subagent=asker.turn.subagent_of(request.tool_use_id) if asker else None,
        )
        path = request.input.get("file_path") or request.input.get("notebook_path")
        before = self.room.claude.text_of(project.folder / path) if isinstance(path, str) else None
        return Asking(self.record.id, run, request, origin, before)

    def _place(self, ticket: str, tool_use_id: str) -> str:
        on_screen = self.turn or self._begin(None)
        on_screen.turn.slot(ticket, tool_use_id)
        return on_screen.record.id

    # Its own life

    async def live(self) -> None:
        """Take up what an earlier bot left, then serve prompts until closed."""
        await self._take_up()
        while True:
            await self._until(lambda: bool(self.queue) or self.closing)
            if self.closing:
                break
            await self._run()
        self.room.channel.working(on=False)
        await self.room.channel.settled()

    async def _take_up(self) -> None:
        store = self.room.store
        self._tidy()
        for turn in store.unshown_turns(self.record.id):
            self._show(await self._replay(turn))
            self._note_once_shown(turn.id)
        for record in store.live_runs(self.record.id):
            async with self.room.claude.adopt(record) as run:
                self.running = run
                turns = store.turns(run.id)
                for turn in [turn for turn in turns if turn.end is not None][-KEPT_TURNS:]:
                    self._remember(await self._replay(turn))
                if turns and turns[-1].end is None:
                    self._resume(turns[-1])
                await self._attend(run, turns[-1].end or turns[-1].offset if turns else 0)
            self._ended(run)
        self._withdraw_all()

    def _tidy(self) -> None:
        """Put right what a bot that died may have left half done: notes of the queue, cards as they were answered."""
        queued = {_queue_view(prompt) for prompt in self.queue}
        for left in self.room.store.unsettled(self.record.id):
            ticket = self.room.store.ticket(left.key.removeprefix("card-"))
            if ticket is not None:
                self.room.channel.amend(left.view, card(ticket))
            elif left.view.startswith(QUEUE_VIEW) and left.view not in queued:
                self.room.channel.show(left.view, list)

    async def _replay(self, record: TurnRecord) -> OnScreen:
        """Read an ended turn again: its journal, and what was decided in it, tell how it looks."""
        turn = Turn(record.prompted_by, record.started_at, self._carried)
        on_screen = OnScreen(record, turn, TurnView(turn))
        if record.end is None or record.end == record.offset:  # taken back: it shows nothing
            return on_screen
        self._put_cards(on_screen)
        async with self.room.claude.adopt(RunRecord(record.run, self.record.id, "", 0.0)) as run:
            async for end, event in run.events(record.offset):
                if end <= record.end or turn.owns(event):
                    turn.apply(event, self.room.clock())
            if turn.ended is None:
                turn.fail(self._why(run))
        return on_screen

    async def _run(self) -> None:
        """One life of a process, from its first prompt to its end."""
        token = secrets.token_urlsafe(32)
        record = RunRecord(secrets.token_hex(8), self.record.id, hash_token(token), self.room.clock())
        self.room.store.add_run(record)
        self._offset = 0
        self._ending = False
        try:
            async with self.room.claude.run(launch(self.room.project, self.record, record.id, token)) as run:
                self.room.store.set_process(run.id, run.pid or 0, run.started)
                self.running = run
                await self._attend(run, 0)
        except ClaudeError as error:
            self._fail(str(error))
            self.room.store.end_run(record.id, self.room.clock())
        else:
            self._ended(run)
        finally:
            self.running = None

    async def _attend(self, run: Running, offset: int) -> None:
        """Speak to a process, if it can be spoken to, and hear it until it has ended."""
        async with asyncio.TaskGroup() as tasks:
            feeding = tasks.create_task(self._feed(run)) if run.listens else None
            await self._follow(run, offset)
            if feeding is not None:
                feeding.cancel()

    async def _feed(self, run: Running) -> None:
        """Give the process one prompt after another; let it go when nothing happens for long."""
        while True:
            try:
                async with asyncio.timeout(self.room.idle):
                    await self._until(lambda: self.turn is None and bool(self.queue) and not self._ending)
            except TimeoutError:
                if self.turn is None and not self._background:
                    run.finish()
                    return
                continue
            prompt = self.queue.popleft()
            self.room.channel.show(_queue_view(prompt), list)
            self._begin(prompt)
            self.room.store.set_prompt(prompt.id, "sent")
            with suppress(ClaudeError):  # it has just ended: the journal's reader finds out why
                await run.say(self._content(prompt), _uuid(prompt))

    async def _follow(self, run: Running, offset: int) -> None:
        """Take every event until the process has ended."""
        self._offset = offset
        async for end, event in run.events(offset):
            self._event_at, self._offset = self._offset, end
            self._take(event)
            self._tell()

    def _take(self, event: Event) -> None:
        owner = next((known for known in self._turns() if known.turn.owns(event)), None)
        if owner is not None and owner is not self.turn:
            owner.turn.apply(event, self.room.clock())
            self._show(owner)
            return
        on_screen = self.turn
        if on_screen is None:
            if isinstance(event, BackgroundTasks):
                self._background = len(event.tasks)
            if not starts_turn(event):
                return
            on_screen = self._begin(None, self._event_at)
        on_screen.turn.apply(event, self.room.clock())
        match event:
            case Init(session_id=session):
                self._session = session
            case User(uuid=name) if on_screen.prompt is not None and name == _uuid(on_screen.prompt):
                on_screen.taken = True
            case Assistant():
                self._keep_session(self._session)
            case BackgroundTasks(tasks):
                self._background = len(tasks)
            case Result():
                self._keep_session(self._session)
                self._finish_turn(on_screen)
        self._refresh()

    def _begin(self, prompt: Prompt | None, offset: int | None = None) -> OnScreen:
        """Open a turn: for a prompt, or because Claude has begun by itself (at this place in the journal)."""
        record = TurnRecord(
            id=secrets.token_hex(8),
            conversation=self.record.id,
            run=self.running.id if self.running else "",
            offset=self._offset if offset is None else offset,
            started_at=self.room.clock(),
            prompt=prompt.id if prompt else None,
            prompted_by=prompt.author if prompt else None,
        )
        self.room.store.add_turn(record)
        return self._put_on_screen(record, prompt)

    def _resume(self, record: TurnRecord) -> None:
        """Put a turn back on the screen that an earlier bot began; the journal tells the rest."""
        prompt = next((p for p in self.queue if p.id == record.prompt), None)
        if prompt is not None:
            self.queue.remove(prompt)
        on_screen = self._put_on_screen(record, prompt)
        self.tickets |= self._put_cards(on_screen)

    def _put_cards(self, on_screen: OnScreen) -> Mapping[str, Ticket]:
        """Give the cards of a turn their places in it."""
        tickets = self.room.store.tickets_of(on_screen.record.id)
        for ticket in tickets:
            on_screen.turn.slot(ticket.id, ticket.request.tool_use_id)
            _settle(on_screen.turn, ticket)
        return {ticket.id: ticket for ticket in tickets}

    def _put_on_screen(self, record: TurnRecord, prompt: Prompt | None) -> OnScreen:
        turn = Turn(record.prompted_by, record.started_at, self._carried)
        self.turn = OnScreen(record, turn, TurnView(turn), prompt)
        self._refresh()
        return self.turn

    def _finish_turn(self, on_screen: OnScreen) -> None:
        prompt = on_screen.prompt
        done = prompt.id if prompt is not None and on_screen.taken else None
        self.room.store.end_turn(on_screen.record.id, self._offset, done)
        self.room.desk.because(self.record.id, None)
        self._refresh()
        self._note_once_shown(on_screen.record.id)
        self.turn = None
        self._remember(on_screen)
        self.tickets = {ticket.id: ticket for ticket in self.waiting}
        if (
            prompt is not None and not on_screen.taken
        ):  # Claude had begun something by itself just before the prompt, whose turn comes now
            self._begin(prompt)

    def _remember(self, on_screen: OnScreen) -> None:
        """Keep an ended turn for what comes of it later."""
        self._earlier.appendleft(on_screen)
        self._carried = on_screen.turn.carried()

    def _ended(self, run: Running) -> None:
        """Close the books on a process that is gone."""
        self.running = None
        self._background = 0
        self._earlier.clear()
        self._withdraw_all()
        self.room.store.end_run(run.id, self.room.clock())
        if (on_screen := self.turn) is None:
            return
        never_begun = on_screen.prompt is not None and not on_screen.taken and not on_screen.stopping
        if on_screen.prompt is not None and never_begun and (self._ending or run.status is None):
            self._take_back(on_screen, on_screen.prompt)
            return
        if not (self._ending or on_screen.stopping):
            on_screen.turn.fail(self._why(run))
        self._give_up(on_screen)

    def _withdraw_all(self) -> None:
        for ticket in self.room.store.open_tickets(self.record.id):
            self.room.desk.withdraw(ticket.id, "Claude's process has ended")

    def _why(self, run: Running) -> str:
        errors = run.stderr_tail()
        if self.record.session is not None and SESSION_UNKNOWN in errors:
            self._keep_session(None)
            return "Claude does not know this session any more. Write again to start a new one here."
        return died(run.status, errors)

    def _take_back(self, on_screen: OnScreen, prompt: Prompt) -> None:
        """The process ended before it took the prompt: it is queued again as if it had never been sent."""
        record = on_screen.record
        self.queue.appendleft(replace(prompt, state="queued"))
        self.room.store.end_turn(record.id, record.offset, prompt.id, "queued")
        self.room.channel.show(record.id, list)
        self._note_once_shown(record.id)
        self.turn = None

    def _give_up(self, on_screen: OnScreen) -> None:
        """End a turn that will see no result."""
        on_screen.taken = True
        self._finish_turn(on_screen)

    def _fail(self, sentence: str) -> None:
        """Say in the thread why Claude could not start for the prompt that wanted it."""
        on_screen = self._begin(self.queue.popleft())
        on_screen.turn.fail(sentence)
        self._give_up(on_screen)

    # Small things

    def _refresh(self) -> None:
        """Have the turn shown as it is now."""
        if self.turn is not None:
            self._show(self.turn)
        self.room.channel.working(on=self.turn is not None and not self.waiting)

    def _show(self, on_screen: OnScreen) -> None:
        view, cards = on_screen.view, self.tickets
        if on_screen is not self.turn:
            cards = {ticket.id: ticket for ticket in self.room.store.tickets_of(on_screen.record.id)}
        self.room.channel.show(on_screen.record.id, lambda: view.messages({i: card(t) for i, t in cards.items()}))

    def _note_once_shown(self, turn: str) -> None:
        """Remember that a turn's end stands in Discord; until then the next bot would show it again."""
        self.room.channel.once_shown(turn, lambda: self.room.store.set_shown(turn, shown=True))

    def _turns(self) -> Iterator[OnScreen]:
        """The turn that is going on, then those that may have left something in the background, newest first."""
        if self.turn is not None:
            yield self.turn
        yield from self._earlier

    def _keep_session(self, session: str | None) -> None:
        if session != self.record.session:
            self.record = replace(self.record, session=session)
            self.room.store.set_session(self.record.id, session)

    def _content(self, prompt: Prompt) -> list[Mapping[str, Any]]:
        images = [self.room.claude.image(path) for path in prompt.files]
        return [*images, {"type": "text", "text": prompt.text}]

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self._news.wait()


def hash_token(token: str) -> str:
    """What is kept of a run's token: enough to know it again."""
    return hashlib.sha256(token.encode()).hexdigest()


def _settle(turn: Turn, ticket: Ticket) -> None:
    match ticket.state:
        case Decided(decision=decision, at=at):
            turn.answered(ticket.id, allowed=isinstance(decision, Allow), at=at)
        case Withdrawn(at=at):
            turn.answered(ticket.id, allowed=False, at=at)


def _uuid(prompt: Prompt) -> str:
    return str(uuid.UUID(int=prompt.id))


def _queue_view(prompt: Prompt) -> str:
    return f"{QUEUE_VIEW}{prompt.id}"
