"""All conversations: each is found by its thread, and lives in a task of its own."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Protocol, Self

from bot.audit_log import Sealed, Verdict
from bot.config import Project, Settings
from bot.conversations.conversation import Conversation, Room, hash_token
from bot.decisions.desk import Desk, TicketStore
from bot.permission_requests.ticket import Seen, Ticket
from bot.ports import Channel, Claude
from bot.ports import Store as ConversationStore
from bot.projects.projects import Projects
from bot.records import ConversationRecord, RunRecord
from bot.sent_message import MessageState, SentMessage
from shared.protocol import Allow, Deny, FileAnswer, FileRequest, Request

SHUTDOWN = 12.0
"""Seconds that all conversations together have for coming to their end."""
LOBBY_SETTLES = 3.0
"""Seconds that the channels' last lines have for getting through."""
BOT_STOPPED = "the bot was stopped"

log = logging.getLogger(__name__)


class Store(ConversationStore, TicketStore, Protocol):
    """What outlives the bot, for all conversations."""

    def add_conversation(self, record: ConversationRecord) -> None: ...
    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def forget_conversation(self, conversation: int) -> None: ...
    def unfinished(self) -> set[int]: ...
    def conversation_of_session(self, session: str) -> ConversationRecord | None: ...
    def spent(self, project: str, since: float = 0.0, conversation: int | None = None) -> tuple[int, float]: ...
    def run_by_token(self, token_hash: str) -> RunRecord | None: ...
    def every_open_ticket(self) -> list[Ticket]: ...
    def audit(self, project: str, limit: int) -> list[Sealed]: ...
    def check_audit(self) -> Verdict: ...
    def ticket(self, ticket: str) -> Ticket | None: ...
    def sent_in(self, view: str) -> list[SentMessage]: ...
    def sent_as(self, message: int) -> SentMessage | None: ...
    def save_sent(self, sent: SentMessage) -> None: ...
    def replace_sent(self, sent: SentMessage, state: MessageState) -> None: ...
    def forget_sent(self, view: str, key: str) -> None: ...


class Conversations:
    """Starts, finds and closes conversations: the way to them for people's words and for Claude's requests."""

    def __init__(
        self,
        projects: Projects,
        store: Store,
        claude: Claude,
        open_channel: Callable[[int], AbstractAsyncContextManager[Channel]],
        prepare: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self.projects = projects
        self.store = store
        self.desk = Desk(store, self._ticket_changed)
        self.tickets_changed = asyncio.Event()
        """Set when a request has come or was settled."""
        self._claude = claude
        self._open_channel = open_channel
        self._prepare = prepare
        self._tasks = asyncio.TaskGroup()
        self._living: dict[int, asyncio.Task[None]] = {}
        self._closing = False
        """The bot is about to stop: nothing is woken any more."""
        self._open: dict[int, asyncio.Future[Conversation]] = {}
        self._lobbies: dict[int, asyncio.Future[Channel]] = {}
        self._leaving = asyncio.Event()

    @property
    def settings(self) -> Settings:
        """The settings that count now."""
        return self.projects.settings

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Self]:
        """Serve inside the block: first what an earlier bot left undone, at the end bring all to theirs."""
        async with self._tasks:
            for conversation in sorted(self.store.unfinished()):
                await self.find(conversation)  # a request may have come first, and woken it
            try:
                yield self
            finally:
                await self._close_all()

    async def start(self, record: ConversationRecord) -> Conversation:
        """Begin a conversation in a new thread."""
        self.store.add_conversation(record)
        return await self._wake(record)

    async def find(self, thread: int) -> Conversation | None:
        """Find the conversation of a thread, and wake it if it sleeps."""
        if thread in self._open:
            return await asyncio.shield(self._open[thread])
        record = None if self._closing else self._record(thread)
        return await self._wake(record) if record else None

    def awake(self) -> list[Conversation]:
        return [future.result() for future in self._open.values() if future.done()]

    def known(self, thread: int) -> Conversation | None:
        """Find the conversation of a thread if it is awake."""
        opening = self._open.get(thread)
        return opening.result() if opening is not None and opening.done() else None

    def run_of(self, token: str) -> RunRecord | None:
        """Find the run that this token was made for."""
        return self.store.run_by_token(hash_token(token))

    async def ask(self, run: RunRecord, request: Request) -> Allow | Deny:
        """Bring a request of Claude's to its conversation."""
        conversation = await self.find(run.conversation)
        if conversation is None:
            return Deny(
                message="The Discord thread of this conversation, or its project, is gone; nobody can be asked."
            )
        return await conversation.ask(run.id, request)

    async def look(self, ticket: Ticket) -> Seen:
        """Look at a ticket's file as it is now."""
        conversation = await self.find(ticket.conversation)
        if conversation is None:
            return Seen(hidden="unknown")
        return await conversation.look(ticket.request, Path(ticket.origin.folder))

    async def send_file(self, run: RunRecord, wish: FileRequest) -> FileAnswer:
        """Bring a file of Claude's to its conversation."""
        conversation = await self.find(run.conversation)
        if conversation is None:
            return FileAnswer(sent=False, message="The Discord thread of this conversation, or its project, is gone.")
        return await conversation.send_file(run.id, wish)

    async def forget(self, thread: int) -> None:
        """Close a conversation whose thread was deleted."""
        if conversation := await self.find(thread):
            await conversation.close("the thread was deleted")
            conversation.unannounce()
            self.store.forget_conversation(thread)

    def in_use(self, thread: int) -> bool:
        """Whether Claude works in a thread, or is about to."""
        found = self.known(thread)
        return found is not None and (found.running is not None or found.warming or found.queue.due)

    @contextmanager
    def refreshing(self) -> Iterator[None]:
        """Have the processes that would be started otherwise after the block replaced, when they are idle."""
        before = {conversation.record.id: conversation.room.project for conversation in self.awake()}
        yield
        for conversation in self.awake():
            if before.get(conversation.record.id, conversation.room.project) != conversation.room.project:
                conversation.refresh()

    async def leave_removed(self) -> None:
        """Close the conversations whose project is no longer configured."""
        for conversation in self.awake():
            if conversation.record.project not in self.settings.projects:
                await conversation.close("the project was removed")

    def _project_now(self, record: ConversationRecord) -> Callable[[], Project]:
        last = self.settings.projects[record.project]

        def now() -> Project:
            nonlocal last  # what was its project, to the end of a conversation whose project is removed
            last = self.projects.in_thread(record.id) or last
            return last

        return now

    def _record(self, thread: int) -> ConversationRecord | None:
        """What is remembered of a conversation; None where its project is no longer configured."""
        record = self.store.conversation(thread)
        return record if record and record.project in self.settings.projects else None

    async def _wake(self, record: ConversationRecord) -> Conversation:
        opening = self._open[record.id] = asyncio.get_running_loop().create_future()
        self._living[record.id] = self._tasks.create_task(self._live(record, opening))
        return await asyncio.shield(opening)

    async def _live(self, record: ConversationRecord, opening: asyncio.Future[Conversation]) -> None:
        try:
            async with self._open_channel(record.id) as channel:
                room = Room(
                    self._project_now(record),
                    channel,
                    self._claude,
                    self.store,
                    self.desk,
                    self.settings.claude.idle_minutes * 60,
                    time.time,
                    prepare=(lambda: prepare(record.id)) if (prepare := self._prepare) else None,
                    lobby=await self._lobby(record.parent) if record.parent else None,
                )
                conversation = Conversation(record, room)
                opening.set_result(conversation)
                await conversation.live()
        except Exception:
            log.exception("The conversation in thread %s broke off; the next message in it starts it again.", record.id)
            if not opening.done():
                opening.cancel()
        finally:
            self._open.pop(record.id, None)
            self._living.pop(record.id, None)

    async def _lobby(self, parent: int) -> Channel:
        """Give the channel that threads belong to; they share it."""
        if parent not in self._lobbies:
            self._lobbies[parent] = asyncio.get_running_loop().create_future()
            self._tasks.create_task(self._keep_lobby(parent, self._lobbies[parent]))
        return await asyncio.shield(self._lobbies[parent])

    async def _keep_lobby(self, parent: int, opening: asyncio.Future[Channel]) -> None:
        async with self._open_channel(parent) as lobby:
            opening.set_result(lobby)
            await self._leaving.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOBBY_SETTLES):
                    await lobby.settled()

    async def _close_all(self) -> None:
        self._closing = True
        living = list(self._living.values())
        closing = [asyncio.ensure_future(conversation.close(BOT_STOPPED)) for conversation in self.awake()]
        if closing or living:
            _, late = await asyncio.wait([*closing, *living], timeout=SHUTDOWN)
            for task in late:
                task.cancel()
        self._leaving.set()

    def _ticket_changed(self, ticket: Ticket) -> None:
        self.tickets_changed.set()
        opening = self._open.get(ticket.conversation)
        if opening is not None and opening.done():
            opening.result().ticket_changed(ticket)
