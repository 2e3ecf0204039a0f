"""A conversation: say, ask, stop. Where the core meets Discord, Claude and the state file."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.config import Choices
from bot.conversations.capabilities import Abilities, decode
from bot.conversations.launch import choices
from bot.conversations.life import Life, hash_token
from bot.conversations.prompt_queue import HELD, edited, said_of_held
from bot.conversations.room import Room
from bot.conversations.screen import OnScreen
from bot.decisions.desk import AskedDifferently, Asking, Waiting
from bot.decisions.preparing import prepared
from bot.decisions.rule_attribution import pass_by_rule
from bot.decisions.stale_cards import kept_true
from bot.errors import ClaudeError
from bot.message_names import EDIT_NOTE, FILE, REMINDER, TURN_NOTICE
from bot.messages import Message
from bot.permission_requests.rules import is_about
from bot.permission_requests.ticket import Open, Origin, Seen, Ticket
from bot.permission_requests.tool_input import EditCell, EditFile, ReadFile, WriteFile, read
from bot.ports import Reach, Running
from bot.records import Prompt
from bot.render.replies.status import Report
from bot.text.truncate import truncate
from shared.protocol import Allow, Deny, FileAnswer, FileRequest, Request

__all__ = ["Conversation", "OnScreen", "Room", "hash_token"]

JOURNAL_LEAD = 0.5
"""Seconds that a request waits for its own line in the journal, so that its card stands below what led to it."""
RULE_LEAD = 5.0
"""The same where a rule may let it pass: nobody looks where it runs, so the journal has to tell."""
UNSEEN = 600.0
"""Seconds after which a request is denied that Discord would not show to anybody."""
WATCH = 0.3
"""Seconds between two looks of somebody who follows a turn from the terminal."""
CAPTION = 1500
SENT = 30.0
"""Seconds in which Discord should have taken a file."""
START = 20.0
INTRODUCTION = 1.5
"""Seconds that somebody waits for suggestions while typing; Discord would wait for three."""

log = logging.getLogger(__name__)


class Conversation(Life):
    """A thread that lives, and what people and Claude do in it."""

    # What people do

    def say(self, prompt: Prompt) -> None:
        """Take a prompt: it runs now, or when those before it have; one from before a stop is on hold."""
        if prompt.at <= self._stopped_at:
            prompt = replace(prompt, after=HELD)
        if self.queue.add(prompt, busy=self.turn is not None):
            self.forget_edit()
        self._tell()

    def unsay(self, prompt: int) -> bool:
        """Take back a prompt that has not run yet."""
        return self.queue.drop(prompt)

    def revise(self, prompt: int, text: str) -> None:
        """Take other words for a prompt: it runs with them, or if Claude has read the last ones, can be sent again."""
        if self.queue.revise(prompt, text):
            return
        last = self.room.store.last_prompt(self.record.id)
        if last is None or last.id != prompt or last.text == text:
            return
        self.room.store.revise_prompt(prompt, text)
        self.forget_edit()
        self._edited = prompt
        self.room.channel.show(EDIT_NOTE.of(prompt), lambda: [edited(prompt)])

    def forget_edit(self) -> None:
        """No longer offer to send an edited prompt again."""
        if self._edited is not None:
            self.room.channel.show(EDIT_NOTE.of(self._edited), list)
            self._edited = None

    async def hurry(self, prompt: int, who: str) -> bool:
        """Run a waiting prompt next, and interrupt what goes on; False if it does not wait any more."""
        if not self.queue.hurry(prompt):
            return False
        if self.turn is not None:
            await self._interrupt(who)
        self._tell()
        return True

    async def stop(self, who: str, at: float = math.inf) -> str:
        """Interrupt the turn; with none going on, or asked again, end the process. What is queued is put on hold.

        `at` is when it was said, as Discord tells it: a message from before it may be heard only later.
        """
        self._stopped(at)
        if not self.stoppable:
            return "Nothing is running here."
        self.queue.hold()  # first: the interrupted turn's end would let the next one run
        if self.running is None:
            return f"Stopped before Claude had begun.{self.on_hold} The session is kept: write to go on."
        if await self._interrupt(who):
            return (
                f"Stopped.{self.on_hold} The session is kept: write to go on, or `/stop` again to end Claude's process."
            )
        await self._halt()
        return f"Claude's process is ended.{self.on_hold} The session is kept: write to go on."

    async def rest(self, reason: str, at: float = math.inf, *, since: float = math.inf) -> bool:
        """End the process for now; a prompt that was written later resumes the session. False if there was none."""
        if not self.stoppable:
            return False
        self.room.desk.because(self.record.id, reason)
        if since == math.inf:  # to archive a thread is not to say stop: a message that comes then goes on
            self._stopped(at)
            self.queue.hold(since)
        if self.running is None:
            return True
        await self._halt()
        await self.room.channel.settled()
        return True

    def _stopped(self, at: float) -> None:
        """Remember when somebody said stop; Discord's clock and ours may differ, and the earlier one counts."""
        self._stopped_at = max(self._stopped_at, min(at, self.room.clock()))

    @property
    def on_hold(self) -> str:
        """How many queued prompts a stop has put on hold, as a sentence behind another; empty if there are none."""
        return f" {said_of_held(count)}" if (count := len(self.queue.held)) else ""

    def run_held(self) -> None:
        """Run what a stop has put on hold."""
        self.queue.run_held()
        self._tell()

    def drop_held(self) -> None:
        """Forget what a stop has put on hold."""
        self.queue.drop_held()

    async def renew(self, session: str | None = None) -> None:
        """Go on with another session, or with none: then the next prompt starts from nothing."""
        await self._end()
        self._session = session
        self._keep_session(session)

    async def close(self, reason: str) -> None:
        """Come to an end in order: what Claude still says is shown, its open requests are withdrawn."""
        self.closing = True
        self.room.desk.because(self.record.id, reason)
        await self._end()
        self._tell()

    def choose(self, own: Choices) -> None:
        """Keep what was chosen for this thread."""
        self.record = replace(self.record, own=own)
        self.room.store.set_own(self.record.id, own)

    def refresh(self) -> None:
        """Let the process go when it is idle: the next prompt starts one with what has been chosen since."""
        self._stale = self.running is not None
        self._tell()

    @property
    def warming(self) -> bool:
        """A process is there, or is about to be, for a prompt that has not come yet."""
        return self._wanted or (self.running is not None and self._unused)

    def warm(self, *, stay: bool = False) -> None:
        """Start a process before anything is said: somebody is about to, or it is to be there (`stay`)."""
        if (self.running is None or self._ending) and not self.closing:
            self._wanted, self._staying = True, stay
            self._tell()

    async def awake(self) -> Running | None:
        """Give a process that can be spoken to, started if need be; None where none comes up."""
        self.warm()
        with suppress(TimeoutError):
            async with asyncio.timeout(START):
                await self._until(lambda: not self._wanted)
        return self.running if self.running is not None and self.running.listens else None

    async def introduced(self) -> Abilities:
        """Tell what Claude can do here; asks it, if it can be asked and has not been."""
        if not self.abilities.commands and self.running is not None and self.running.listens:
            with suppress(ClaudeError):
                self.abilities = decode(await self.running.control("initialize", within=INTRODUCTION))
        return self.abilities

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

    @property
    def last_answer(self) -> str:
        """What Claude said at the end of its last turn, as long as its process is there."""
        return next((known.turn.ended.text for known in self.screen if known.turn.ended), "").strip()

    async def watch(self, prompt: int) -> AsyncIterator[OnScreen]:
        """Yield a prompt's turn whenever something may have changed; ends when the prompt is no longer there."""
        on_screen: OnScreen | None = None
        while True:
            current = next((known for known in self.screen if known.prompt and known.prompt.id == prompt), None)
            on_screen = current or on_screen
            if on_screen is not None:
                yield on_screen
            elif all(waiting.id != prompt for waiting in self.queue):
                return
            with suppress(TimeoutError):  # a ticket changes without an event
                async with asyncio.timeout(WATCH):
                    await self._news.wait()

    async def _interrupt(self, who: str) -> bool:
        """Interrupt the turn, once; False where only ending the process would help."""
        self.room.desk.because(self.record.id, f"stopped by {who}")
        if self.running is None or self.turn is None or self.turn.stopping or not self.running.listens:
            return False
        self.turn.stopping = True
        with suppress(ClaudeError):  # it did not answer, or has just ended: a second /stop is stronger
            await self.running.interrupt()
        return True

    async def _halt(self) -> None:
        """End the process because somebody said so: a prompt that it had not begun with does not come back."""
        if self.turn is not None:
            self.turn.stopping = True
        await self._end()

    def unannounce(self) -> None:
        """Take the channel's line away: there is nothing left that it could lead to."""
        if self.room.lobby is not None:
            self.room.lobby.show(TURN_NOTICE.of(self.record.id), list)

    # What Claude does

    async def ask(self, run: str, request: Request) -> Allow | Deny:
        """Put a request on the desk and wait for a person, unless a rule lets it pass."""
        await self._appears(request.tool_use_id)
        asking = self._asking(run, request, await self.look(request, self.room.project.folder))
        await prepared(asking)
        if self.closing or self.running is None or self.running.id != run:
            return Deny(message="This run of Claude is over; nobody can be asked any more.")
        if (asker := self.screen.asker(request.tool_use_id)) is not None and asker is self.turn and asker.stopping:
            return Deny(message="Somebody has stopped this turn, so nobody is asked.")
        try:
            if (passed := await self._pass_by_rule(asking)) is not None:
                return passed
            async with (
                self.room.desk.open(asking, lambda ticket: self._place(ticket, request.tool_use_id)) as waiting,
                kept_true(lambda: self.tickets.get(waiting.ticket_id), self._glance, self.room.desk),
            ):
                return await self._decided(waiting)
        except AskedDifferently as doubt:
            return Deny(message=str(doubt))

    async def look(self, request: Request, folder: Path, known: Seen | None = None) -> Seen:
        """Look at the file that a request is about, as far as Claude itself reads it without asking."""
        path: Any = request.input.get("file_path") or request.input.get("notebook_path")
        content = False
        match read(request):
            case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
                content = True
            case ReadFile(path=path):
                pass
        if not isinstance(path, str):
            return Seen()
        extra = choices(self.room.project, self.record).extra_folders or ()
        reach = Reach(folder, (*extra, self.room.claude.attachments(self.record.id)), content)
        return await asyncio.to_thread(self.room.claude.look_at, path, reach, known)

    async def _glance(self, ticket: Ticket) -> Seen:
        return await self.look(ticket.request, Path(ticket.origin.folder), ticket.file)

    async def _pass_by_rule(self, asking: Asking) -> Allow | None:
        """Allow at once what a rule lets pass; while Claude plans, nothing is edited."""
        request, folder = asking.request, asking.origin.folder
        rules = [kept for kept in self.rules if is_about(kept.rule, request, folder)]
        if rules:  # where it runs, and in which mode, stands in the journal before it
            await self._appears(request.tool_use_id, RULE_LEAD)
        turn = asker.turn if (asker := self.screen.asker(request.tool_use_id)) else None
        is_agents = turn is not None and turn.subagent_of(request.tool_use_id) is not None
        apart = is_agents and await asyncio.to_thread(self.room.claude.agents_work_apart, Path(folder))
        if turn is None or not turn.knows(request.tool_use_id) or turn.may_be_elsewhere(folder) or apart:
            rules = [kept for kept in rules if kept.rule.tool != "Bash"]
        if asker is not None and asker is self.turn and asker.stopping:
            return None
        if turn is None or turn.session.mode == "plan":
            rules = [kept for kept in rules if kept.rule.tool != "Edit"]
        entry = pass_by_rule(self.room.store, asking, rules, self.room.clock())
        if entry is None:
            return None
        self.screen.passed(request.tool_use_id, entry.note, entry.at)
        return Allow(updatedInput=request.input)

    async def _decided(self, waiting: Waiting) -> Allow | Deny:
        """Wait for a person; a request that can't be shown to anybody for long is denied."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(UNSEEN / 10):
                    return await waiting.decided()
            trouble = self.room.channel.trouble()
            if (
                trouble is not None
                and trouble.seconds >= UNSEEN
                and not self.room.store.message_of_card(waiting.ticket_id)
            ):
                log.warning("A request in thread %s can't be shown, and is denied: %s", self.record.id, trouble.reason)
                refused = Deny(message=f"Nobody could be asked: Discord does not show the request ({trouble.reason}).")
                self.room.desk.decide(waiting.ticket_id, refused, None, "it could not be shown")

    async def send_file(self, run: str, wish: FileRequest) -> FileAnswer:
        """Look at a file that Claude wants to send, and show it in the thread if it may go."""
        await self._appears(wish.tool_use_id)
        if self.closing or self.running is None or self.running.id != run:
            return FileAnswer(sent=False, message="This run of Claude is over; nobody would see the file.")
        found = await asyncio.to_thread(self.room.claude.sendable, wish.path, self.room.project.folder)
        if isinstance(found, str):
            return FileAnswer(sent=False, message=found)
        view, shown = FILE.of(wish.tool_use_id), asyncio.Event()
        message = Message("file", truncate(wish.caption, CAPTION), files=(found,))
        self.screen.refresh()  # what Claude said before it comes first
        self.room.channel.show(view, lambda: [message])
        self.room.channel.once_shown(view, shown.set)
        try:
            async with asyncio.timeout(SENT):
                await shown.wait()
        except TimeoutError:
            return FileAnswer(sent=True, message=f"{found.name} is on its way; Discord is slow at the moment.")
        return FileAnswer(sent=True, message=f"{found.name} was sent.")

    def ticket_changed(self, ticket: Ticket) -> None:
        """Show a ticket as it is now; the desk calls this."""
        self.screen.ticket_changed(ticket)
        if not isinstance(ticket.state, Open):
            self.room.channel.show(REMINDER.of(ticket.id), list)
        self._gather()

    async def _appears(self, tool_use_id: str, within: float = JOURNAL_LEAD) -> None:
        """Wait a moment for the request's own line in the journal."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._until(lambda: self.screen.knows(tool_use_id))

    def _asking(self, run: str, request: Request, file: Seen) -> Asking:
        project = self.room.project
        asker = self.screen.asker(request.tool_use_id)
        origin = Origin(
            project=project.name,
            folder=str(project.folder),
            prompted_by=asker.record.prompted_by if asker else None,
            subagent=asker.turn.subagent_of(request.tool_use_id) if asker else None,
            second_person=bool(project.decisions.second_person),
        )
        return Asking(self.record.id, run, request, origin, file)

    def _place(self, ticket: str, tool_use_id: str) -> str:
        return self.screen.place(self.turn or self._begin(None), ticket, tool_use_id)
