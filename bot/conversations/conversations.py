"""All conversations: each is found by its thread and runs in its own task."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol, Self

from bot.config import Project
from bot.conversations.agent import Agent
from bot.conversations.conversation import Conversation
from bot.conversations.conversation_parts import ConversationParts, ConversationThread, Ports
from bot.conversations.run_token import hash_token
from bot.conversations.tool_approval import ToolApproval
from bot.errors import ConversationFailed, Stopping
from bot.message_names import FAILURE, TURN_NOTICE
from bot.messages import Message
from bot.permission_requests.ticket import Ticket
from bot.ports import Channel
from bot.projects.projects import Projects
from bot.records import ConversationRecord, RunRecord
from shared.protocol import Allow, Deny, FileAnswer, FileRequest, Request

SHUTDOWN = 12.0
"""Seconds that all conversations have to end when the bot stops."""
PARENTS_SETTLE = 3.0
"""Seconds that the parent channels have to send their last lines."""
BOT_STOPPED = "the bot was stopped"
STOPPING = "The bot is stopping. Try again when it runs."
SAY_WITHIN = 10.0
"""Seconds to say in a thread that its conversation failed."""
COULD_NOT_OPEN = "This conversation can't be opened because of an error; the bot's log has the details."
FAILED = "⚠️ This conversation failed because of an error. Write again to continue it; the bot's log has the details."
GONE = "This conversation's Discord thread or project no longer exists"

log = logging.getLogger(__name__)


class ConversationRecords(Protocol):
    """The store's records of all conversations."""

    def add_conversation(self, record: ConversationRecord) -> None: ...
    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def forget_conversation(self, conversation: int) -> None: ...
    def unfinished(self) -> set[int]: ...
    def run_by_token(self, token_hash: str) -> RunRecord | None: ...


@dataclass(frozen=True, slots=True)
class _OpenConversation:
    """An open conversation and its parts."""

    conversation: Conversation
    agent: Agent
    parts: ConversationParts


class Conversations:
    """Starts, finds and closes conversations; messages from people and requests from Claude reach them through this."""

    def __init__(
        self,
        ports: Ports,
        projects: Projects,
        records: ConversationRecords,
        open_channel: Callable[[int], AbstractAsyncContextManager[Channel]],
    ) -> None:
        self._ports = ports
        self._projects = projects
        self._records = records
        self._open_channel = open_channel
        self._tasks = asyncio.TaskGroup()
        self._running: dict[int, asyncio.Task[None]] = {}
        self._closing = False
        """Whether the bot is stopping, so that no more conversations are opened."""
        self._open: dict[int, asyncio.Future[_OpenConversation | None]] = {}
        self._parents: dict[int, asyncio.Future[Channel | None]] = {}
        self._stopping = asyncio.Event()
        ports.desk.listeners.append(self._ticket_changed)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Self]:
        """Keep conversations open inside the block, starting with those that an earlier bot left unfinished."""
        async with self._tasks:
            for conversation in sorted(self._records.unfinished()):
                await self._continue(conversation)
            try:
                yield self
            finally:
                await self._close_all()

    async def start(self, record: ConversationRecord) -> Conversation:
        """Start a conversation in a new thread."""
        if self._closing:
            raise Stopping(STOPPING)
        self._records.add_conversation(record)
        return (await self._open_new(record)).conversation

    async def find(self, thread: int) -> Conversation | None:
        """Return the conversation of a thread, opening it if necessary; None if the thread has none.

        Raises ConversationFailed if it can't be opened.
        """
        return found.conversation if (found := await self._find(thread)) else None

    async def channel(self, thread: int) -> Channel | None:
        """Return the channel of a thread, to show something there that is not part of the conversation."""
        return found.parts.thread.channel if (found := await self._find(thread)) else None

    def awake(self) -> list[Conversation]:
        return [each.conversation for each in self._all_open()]

    def known(self, thread: int) -> Conversation | None:
        """Return the conversation of a thread if it is open."""
        return found.conversation if (found := self._known(thread)) else None

    def run_of(self, token: str) -> RunRecord | None:
        """Return the run that this token was made for."""
        return self._records.run_by_token(hash_token(token))

    async def ask(self, run: RunRecord, request: Request) -> Allow | Deny:
        """Pass a permission request from Claude to its conversation."""
        try:
            conversation = await self.find(run.conversation)
        except ConversationFailed as error:
            return Deny(message=str(error))
        return (
            await conversation.ask(run.id, request)
            if conversation
            else Deny(message=f"{GONE}, so nobody can be asked.")
        )

    async def send_file(self, run: RunRecord, request: FileRequest) -> FileAnswer:
        """Pass a file from Claude to its conversation."""
        try:
            conversation = await self.find(run.conversation)
        except ConversationFailed as error:
            return FileAnswer(sent=False, message=str(error))
        return (
            await conversation.send_file(run.id, request)
            if conversation
            else FileAnswer(sent=False, message=f"{GONE}.")
        )

    async def forget(self, thread: int) -> None:
        """Close a conversation whose thread was deleted."""
        record = self._records.conversation(thread)
        if conversation := await self.find(thread):
            await conversation.close("the thread was deleted")
            if record is not None and record.parent and (parent := await self._parent(record.parent)):
                parent.show(TURN_NOTICE.of(thread), list)  # there is nothing left to link to
            self._records.forget_conversation(thread)

    def in_use(self, thread: int) -> bool:
        """Whether Claude is working in a thread, or is about to."""
        return (found := self.known(thread)) is not None and found.status().in_use

    async def settings_changed(self) -> None:
        """Close the conversations of removed projects, and let the others read their settings again."""
        for each in self._all_open():
            if each.conversation.status().project.name in self._projects.settings.projects:
                each.parts.changes.send()
            else:
                await each.conversation.close("the project was removed")

    # For a restart

    async def settle(self) -> None:
        """Wait until Discord shows everything, and everything sent to the processes is written."""
        async with asyncio.TaskGroup() as tasks:
            for each in self._all_open():
                tasks.create_task(each.parts.thread.channel.settled())
                tasks.create_task(each.agent.flush())

    def hand_over(self) -> dict[str, int]:
        """Return each run's file descriptor with which the next bot can write to it."""
        return dict(filter(None, (each.agent.hand_over() for each in self._all_open())))

    # Opening and closing

    def _all_open(self) -> list[_OpenConversation]:
        return [found for thread in list(self._open) if (found := self._known(thread)) is not None]

    def _known(self, thread: int) -> _OpenConversation | None:
        opening = self._open.get(thread)
        return opening.result() if opening is not None and opening.done() else None

    async def _find(self, thread: int) -> _OpenConversation | None:
        if thread in self._open:
            return await self._opened(self._open[thread])
        record = None if self._closing else self._record(thread)
        return await self._open_new(record) if record else None

    def _record(self, thread: int) -> ConversationRecord | None:
        """Return the record of a conversation; None if its project is no longer configured."""
        try:
            record = self._records.conversation(thread)
        except Exception as error:
            log.exception("The record of thread %s can't be read.", thread)
            raise ConversationFailed(COULD_NOT_OPEN) from error
        return record if record and record.project in self._projects.settings.projects else None

    async def _open_new(self, record: ConversationRecord) -> _OpenConversation:
        opening = self._open[record.id] = asyncio.get_running_loop().create_future()
        self._running[record.id] = self._tasks.create_task(self._run(record, opening))
        return await self._opened(opening)

    async def _opened(self, opening: "asyncio.Future[_OpenConversation | None]") -> _OpenConversation:
        """Wait until a conversation is open; raises ConversationFailed if it can't be opened."""
        if (found := await asyncio.shield(opening)) is None:
            raise Stopping(STOPPING) if self._closing else ConversationFailed(COULD_NOT_OPEN)
        return found

    async def _continue(self, thread: int) -> None:
        """Open a conversation that an earlier bot left unfinished, unless a request has already opened it."""
        try:
            await self.find(thread)
        except ConversationFailed:
            self._tasks.create_task(self._say_failed(thread))

    async def _run(self, record: ConversationRecord, opening: "asyncio.Future[_OpenConversation | None]") -> None:
        """Run a conversation until it ends; if it fails, its thread says so, and the others go on."""
        failed = False
        try:
            async with self._open_channel(record.id) as channel:
                parent = await self._parent(record.parent) if record.parent else None
                idle = self._projects.settings.claude.idle_minutes * 60
                made = self._create(record, ConversationThread(channel, parent, self._project_now(record), idle))
                opening.set_result(made)
                await made.agent.serve()
        except Exception:
            log.exception("The conversation in thread %s failed; the next message there starts it again.", record.id)
            failed = opening.done()  # else whoever wanted it open is told
        finally:
            self._open.pop(record.id, None)
            self._running.pop(record.id, None)
            if not opening.done():
                opening.set_result(None)
        if failed:
            await self._say_failed(record.id)

    async def _say_failed(self, thread: int) -> None:
        try:
            async with asyncio.timeout(SAY_WITHIN), self._open_channel(thread) as channel:
                channel.show(FAILURE.of(f"{thread}-{time.time():.0f}"), lambda: [Message("failed", FAILED)])
                await channel.settled()
        except Exception as error:  # noqa: BLE001 - it only says what the log already has
            log.warning("Thread %s can't be told that its conversation failed: %s", thread, error)

    def _create(self, record: ConversationRecord, thread: ConversationThread) -> _OpenConversation:
        parts = ConversationParts.of(record, thread, self._ports)
        agent = Agent(parts)
        approval = ToolApproval(parts, agent)
        return _OpenConversation(Conversation(parts, agent, approval), agent, parts)

    def _project_now(self, record: ConversationRecord) -> Callable[[], Project]:
        last = self._projects.settings.projects[record.project]

        def now() -> Project:
            nonlocal last  # a conversation keeps its last project after that is removed
            last = self._projects.in_thread(record.id) or last
            return last

        return now

    async def _parent(self, channel: int) -> Channel | None:
        """Return a parent channel, which all its threads share."""
        if channel not in self._parents:
            self._parents[channel] = asyncio.get_running_loop().create_future()
            self._tasks.create_task(self._keep_parent(channel, self._parents[channel]))
        return await asyncio.shield(self._parents[channel])

    async def _keep_parent(self, parent: int, opening: "asyncio.Future[Channel | None]") -> None:
        try:
            async with self._open_channel(parent) as channel:
                opening.set_result(channel)
                await self._stopping.wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(PARENTS_SETTLE):
                        await channel.settled()
        except Exception:
            log.exception("Can't post in channel %s how turns end; the next conversation tries again.", parent)
        finally:
            self._parents.pop(parent, None)
            if not opening.done():
                opening.set_result(None)

    async def _close_all(self) -> None:
        self._closing = True
        running = list(self._running.values())
        closing = [asyncio.ensure_future(conversation.close(BOT_STOPPED)) for conversation in self.awake()]
        if closing or running:
            _, late = await asyncio.wait([*closing, *running], timeout=SHUTDOWN)
            for task in late:
                task.cancel()
        self._stopping.set()

    def _ticket_changed(self, ticket: Ticket) -> None:
        if (found := self._known(ticket.conversation)) is not None:
            found.parts.turns.ticket_changed(ticket)
