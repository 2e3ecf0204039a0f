"""The life of a conversation: one process after another, each fed, followed, and ended in order."""

import asyncio
import hashlib
import secrets
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bot.conversations.attachments import content
from bot.conversations.capabilities import Abilities
from bot.conversations.launch import choices, launch
from bot.conversations.prompt_queue import Backlog
from bot.conversations.room import Room
from bot.conversations.screen import KEPT_TURNS, OnScreen, Screen
from bot.conversations.session_recap import RECALLED, recap
from bot.decisions.rulebook import by_mode, in_force
from bot.errors import ClaudeError
from bot.events import Assistant, BackgroundTasks, Event, ExitCause, Init, Result, User
from bot.message_names import ALLOW_ALL, TURN_NOTICE
from bot.permission_requests.allow_all import together
from bot.permission_requests.rules import Kept
from bot.permission_requests.ticket import Ticket
from bot.ports import Running
from bot.records import ConversationRecord, Prompt, RunRecord, TurnRecord
from bot.render.cards import allow_all
from bot.render.turns.errors import died
from bot.render.turns.turn_notice import line
from bot.transcript import starts_turn

INSIST = 0.3
"""Seconds between two interrupts of a turn that somebody has stopped: the CLI forgets one that comes too early."""
WARM = 90.0
"""Seconds that a process waits for the prompt that it was started for, while somebody was typing."""


class Life:
    """A Discord thread, the Claude session behind it, and one process after another; `live` is its own task."""

    def __init__(self, record: ConversationRecord, room: Room) -> None:
        self.record = record
        self.room = room
        self.queue = Backlog(record.id, room.store, room.channel, room.clock)
        self.screen = Screen(
            record.id, room.store, room.channel, room.clock, thinking=lambda: bool(room.project.thinking)
        )
        self.running: Running | None = None
        self.closing = False
        self.commands: tuple[str, ...] = ()
        """Claude's own slash commands, as it last told them."""
        self.abilities = Abilities()
        """What Claude told of itself when it was last asked."""
        self._edited: int | None = None
        """A prompt that was edited after Claude had read it."""
        self._wanted = False
        """A process is wanted, though nothing has been said yet."""
        self._staying = False
        self._ending = False
        """The process has been told to end: what comes now is for the next one."""
        self._unused = False
        """Nothing has been said to the process yet."""
        self._stale = False
        """Something was chosen that only a new process can know."""
        self._offset = 0
        self._event_at = 0
        """Where the event begins that is being taken."""
        self._session = record.session
        self._lost = False
        """The session is gone: the next one is told what was said in it."""
        self._background = 0
        self._stopped_at = 0.0
        """When somebody last said stop: what was written before that is on hold, whenever it is heard."""
        self._news = asyncio.Event()

    @property
    def turn(self) -> OnScreen | None:
        """The turn that is going on."""
        return self.screen.turn

    @property
    def tickets(self) -> dict[str, Ticket]:
        return self.screen.tickets

    @property
    def waiting(self) -> list[Ticket]:
        """The requests that a person has to answer."""
        return self.screen.waiting

    @property
    def stoppable(self) -> bool:
        """There is something that a stop ends: a process, or what one is being started for."""
        return self.running is not None or self.queue.due

    # Its own life

    async def live(self) -> None:
        """Take up what an earlier bot left, then serve prompts until closed."""
        await self._take_up()
        while True:
            await self._until(lambda: self.queue.due or self._wanted or self.closing)
            if self.closing:
                break
            await self._run()
        self.room.channel.working(on=False)
        await self.room.channel.settled()

    async def _take_up(self) -> None:
        store = self.room.store
        self.screen.tidy(self.queue.views)
        self.queue.show_held()
        for turn in store.unshown_turns(self.record.id):
            self.screen.show(await self._replay(turn))
            self.screen.note_once_shown(turn.id)
        for record in store.live_runs(self.record.id):
            async with self.room.claude.adopt(record) as run:
                self.running = run
                turns = store.turns(run.id)
                for turn in [turn for turn in turns if turn.end is not None][-KEPT_TURNS:]:
                    self.screen.remember(await self._replay(turn))
                if turns and turns[-1].end is None:
                    self.screen.resume(turns[-1], self.queue.claim(turns[-1].prompt))
                await self._attend(run, turns[-1].end or turns[-1].offset if turns else 0, adopted=True)
            self._ended(run)
        self._withdraw_all()
        self._gather()

    async def _replay(self, record: TurnRecord) -> OnScreen:
        """Read an ended turn again: its journal, and what was decided in it, tell how it looks."""
        on_screen = self.screen.again(record)
        turn = on_screen.turn
        if record.end is None or record.end == record.offset:  # taken back: it shows nothing
            return on_screen
        async with self.room.claude.adopt(RunRecord(record.run, self.record.id, "", 0.0)) as run:
            async for end, event in run.events(record.offset):
                if end <= record.end or turn.owns(event):
                    self.screen.take(on_screen, event)
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
            if self.room.prepare is not None:
                await self.room.prepare()
            async with self.room.claude.run(launch(self.room.project, self.record, record.id, token)) as run:
                self.room.store.set_process(run.id, run.pid or 0, run.started)
                self.running = run
                if not (self.queue.due or self._wanted):  # somebody said stop while it was being started
                    await self._end()
                await self._attend(run, 0)
        except ClaudeError as error:
            self._wanted = False
            self._fail(str(error))
            self.room.store.end_run(record.id, self.room.clock())
        else:
            self._ended(run)
        finally:
            self.running = None
            self._tell()

    async def _attend(self, run: Running, offset: int, *, adopted: bool = False) -> None:
        """Speak to a process, if it can be spoken to, and hear it until it has ended."""
        async with asyncio.TaskGroup() as tasks:
            speaking = []
            if run.listens:
                speaking = [tasks.create_task(self._feed(run)), tasks.create_task(self._insist(run))]
                if adopted:
                    speaking.append(tasks.create_task(self._unteach(run)))
                if self._wanted and not self.queue.due:
                    speaking.append(tasks.create_task(_rehearse(run)))
            await self._follow(run, offset)
            for task in speaking:
                task.cancel()

    async def _feed(self, run: Running) -> None:
        """Give the process one prompt after another; let it go when nothing happens for long."""
        brief = self._wanted and not self._staying and not self.queue.due
        patience = min(WARM, self.room.idle) if brief else self.room.idle
        self._wanted = self._stale = False
        self._unused = True
        self._tell()
        while True:
            try:
                async with asyncio.timeout(patience):
                    await self._until(
                        lambda: (
                            self.turn is None
                            and (self.queue.due or (self._stale and not self._background))
                            and not self._ending
                        )
                    )
                idle = self._stale
            except TimeoutError:
                idle = self.turn is None
            if idle and not self._background:
                run.finish()
                return
            if self.turn is not None or not self.queue.due:
                continue
            patience, self._unused = self.room.idle, False
            prompt = self.queue.take()
            self._begin(prompt)
            self.room.store.set_prompt(prompt.id, "sent")
            with suppress(ClaudeError):  # it has just ended: the journal's reader finds out why
                before, self._lost = await self._recap() if self._lost else [], False
                await run.say([*before, *content(prompt, self.room.claude.image)], _uuid(prompt))

    async def _insist(self, run: Running) -> None:
        """Interrupt a turn that was stopped until it ends: a prompt that was on its way begins all the same."""
        while True:
            await self._until(lambda: self.turn is not None and self.turn.stopping and not self._ending)
            stopped = self.turn
            with suppress(TimeoutError):
                async with asyncio.timeout(INSIST):
                    await self._until(lambda: self.turn is not stopped or self._ending)  # noqa: B023 - awaited here
            if self.turn is stopped and not self._ending:
                with suppress(ClaudeError):
                    await run.interrupt()

    async def _recap(self) -> list[Mapping[str, Any]]:
        """Give what a new session should know of the one that is lost; nothing where nothing was said."""
        said = []
        for turn, prompt in self.room.store.told(self.record.id, RECALLED):
            answer = ""
            async with self.room.claude.adopt(RunRecord(turn.run, self.record.id, "", 0.0)) as run:
                async for end, event in run.events(turn.offset):
                    if isinstance(event, Result) and end == turn.end:
                        answer = event.text
            said.append((prompt, answer))
        return [{"type": "text", "text": recap(said)}] if said else []

    async def _follow(self, run: Running, offset: int) -> None:
        """Take every event until the process has ended."""
        self._offset = offset
        async for end, event in run.events(offset):
            self._event_at, self._offset = self._offset, end
            self._take(event)
            self._tell()

    def _take(self, event: Event) -> None:
        owner = self.screen.owner(event)
        if owner is not None and owner is not self.turn:
            self.screen.take(owner, event)
            self.screen.show(owner)
            return
        on_screen = self.turn
        if on_screen is None:
            if isinstance(event, BackgroundTasks):
                self._background = len(event.tasks)
            if not starts_turn(event):
                return
            on_screen = self._begin(None, self._event_at)
        self.screen.take(on_screen, event)
        match event:
            case Init(session_id=session, slash_commands=commands):
                self._session = session
                self.commands = commands or self.commands
                # One of Claude's own commands is not echoed: a turn that begins now is its.
                on_screen.taken = on_screen.taken or (on_screen.prompt is not None and on_screen.prompt.is_command)
            case User(uuid=name) if on_screen.prompt is not None and name == _uuid(on_screen.prompt):
                on_screen.taken = True
            case Assistant():
                self._keep_session(self._session)
            case BackgroundTasks(tasks):
                self._background = len(tasks)
            case Result():
                on_screen.taken = on_screen.taken or (on_screen.prompt is not None and on_screen.prompt.is_command)
                self._keep_session(self._session)
                self._finish_turn(on_screen)
        self.screen.refresh()

    def _begin(self, prompt: Prompt | None, offset: int | None = None) -> OnScreen:
        """Open a turn: for a prompt, or because Claude has begun by itself (at this place in the journal)."""
        self.room.desk.because(self.record.id, None)  # not at the end of the last one: its requests may end after it
        run = self.running.id if self.running else ""
        return self.screen.begin(run, self._offset if offset is None else offset, prompt)

    def _finish_turn(self, on_screen: OnScreen) -> None:
        self.screen.finish(on_screen, self._offset)
        self._announce(on_screen)
        if on_screen.prompt is not None and not on_screen.taken:
            # Claude had begun something by itself just before the prompt, whose turn comes now
            self._begin(on_screen.prompt).stopping = on_screen.stopping

    def _announce(self, on_screen: OnScreen) -> None:
        """Tell the channel how the turn ended; its line takes the place of the one before it."""
        if self.room.lobby is not None:
            message = line(on_screen.turn, on_screen.record, choices(self.room.project, self.record).mention)
            self.room.lobby.show(TURN_NOTICE.of(self.record.id), lambda: [message])

    def _ended(self, run: Running) -> None:
        """Close the books on a process that is gone."""
        self.running = None
        self._background = 0
        self.screen.forget_earlier()
        self._withdraw_all()
        self.room.store.end_run(run.id, self.room.clock())
        if (on_screen := self.turn) is None:
            return
        never_begun = on_screen.prompt is not None and not on_screen.taken and not on_screen.stopping
        if on_screen.prompt is not None and never_begun and (self._ending or run.exit.status is None):
            # The process ended before it took the prompt.
            self.queue.put_back(on_screen.prompt)
            self.screen.take_back(on_screen, on_screen.prompt)
            return
        if not (self._ending or on_screen.stopping):
            on_screen.turn.fail(self._why(run))
        self._give_up(on_screen)

    def _withdraw_all(self) -> None:
        for ticket in self.room.store.open_tickets(self.record.id):
            self.room.desk.withdraw(ticket.id, "Claude's process has ended")

    def _why(self, run: Running) -> str:
        end = run.exit
        if self.record.session is not None and end.cause is ExitCause.SESSION_LOST:
            self._keep_session(None)
            self._lost = True
            return (
                "Claude does not know this session any more. Write again to start a new one here: it is told what was "
                "said before."
            )
        return died(end)

    def _give_up(self, on_screen: OnScreen) -> None:
        """End a turn that will see no result."""
        on_screen.taken = True
        self._finish_turn(on_screen)

    def _fail(self, sentence: str) -> None:
        """Say in the thread why Claude could not start for the prompt that wanted it."""
        if not self.queue.due:  # it was only to be ready for one
            return
        on_screen = self._begin(self.queue.take())
        on_screen.turn.fail(sentence)
        self._give_up(on_screen)

    # Small things

    def _keep_session(self, session: str | None) -> None:
        if session != self.record.session or self.record.forks:
            self.record = replace(self.record, session=session, forks=None)
            self.room.store.set_session(self.record.id, session)

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            with suppress(TimeoutError):
                async with asyncio.timeout(self.queue.until_due()):
                    await self._news.wait()

    def _gather(self) -> None:
        """Offer to allow all at once what may be."""
        self.room.channel.show(
            ALLOW_ALL.of(self.record.id), lambda: [allow_all.draw(group) for group in together(self.waiting)]
        )

    @property
    def rules(self) -> list[Kept]:
        """What need not be asked here."""
        kept, here = self.room.store.rules(self.record.project), self.record.id
        return [*in_force(kept, here), *by_mode(self.room.project, here)]

    async def _unteach(self, run: Running) -> None:
        """Have a run that an older bot started ask for everything: it may know rules, and a mode, of its own."""
        with suppress(ClaudeError):
            await run.control("apply_flag_settings", settings={"permissions": {"allow": []}})
            await self._until(lambda: any(known.turn.session.mode for known in self.screen))
            if any(known.turn.session.mode == "acceptEdits" for known in self.screen):
                await run.control("set_permission_mode", mode="default")

    async def _end(self) -> None:
        if self.running is not None:
            self._ending = True
            await self.running.end()


async def _rehearse(run: Running) -> None:
    """Have a process gather its tools and its context before the first prompt: that is half of what that would take."""
    with suppress(ClaudeError):
        await run.control("get_context_usage")


def hash_token(token: str) -> str:
    """What is kept of a run's token: enough to know it again."""
    return hashlib.sha256(token.encode()).hexdigest()


def _uuid(prompt: Prompt) -> str:
    return str(uuid.UUID(int=prompt.id))
