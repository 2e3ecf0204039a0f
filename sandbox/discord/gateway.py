"""The gateway: the WebSocket that dispatches events to the bot."""

import asyncio
import json
import secrets
import zlib
from collections import deque
from dataclasses import dataclass, field
from enum import IntFlag
from typing import Any

from aiohttp import WSMsgType, web

from sandbox.discord import payloads
from sandbox.discord.state.entities import Json
from sandbox.discord.state.world import Dispatch, World

HEARTBEAT_MS = 41_250
MEMORY = 2000  # dispatches that a session can replay


class Intent(IntFlag):
    GUILDS = 1 << 0
    MEMBERS = 1 << 1
    PRESENCES = 1 << 8
    MESSAGES = 1 << 9
    REACTIONS = 1 << 10
    TYPING = 1 << 11
    DM_MESSAGES = 1 << 12
    DM_REACTIONS = 1 << 13
    DM_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15


_PRIVILEGED = {Intent.PRESENCES: 1 << 12, Intent.MEMBERS: 1 << 14, Intent.MESSAGE_CONTENT: 1 << 18}
"""Intent -> the application's flag that grants it; the next higher flag grants it to small bots."""
_KNOWN_INTENTS = (1 << 26) - 1


def _intent_for(event: str, *, in_guild: bool) -> Intent | None:
    """Return the intent that an event needs, or None if it is always sent."""
    table: tuple[tuple[str, Intent, Intent], ...] = (
        ("MESSAGE_REACTION_", Intent.REACTIONS, Intent.DM_REACTIONS),
        ("MESSAGE_", Intent.MESSAGES, Intent.DM_MESSAGES),
        ("TYPING_", Intent.TYPING, Intent.DM_TYPING),
        ("GUILD_MEMBER_", Intent.MEMBERS, Intent.MEMBERS),
        ("GUILD_", Intent.GUILDS, Intent.GUILDS),
        ("CHANNEL_", Intent.GUILDS, Intent.DM_MESSAGES),
        ("THREAD_", Intent.GUILDS, Intent.GUILDS),
    )
    return next((here if in_guild else private for prefix, here, private in table if event.startswith(prefix)), None)


@dataclass(eq=False)
class _Connection:
    """One socket, optionally compressed with a zlib stream."""

    socket: web.WebSocketResponse
    transport: asyncio.BaseTransport | None
    deflate: Any = None
    outbox: asyncio.Queue[Json | int] = field(default_factory=asyncio.Queue)

    async def pump(self) -> None:
        """Send the queued payloads in order; a number in the queue closes the socket with that code."""
        while True:
            item = await self.outbox.get()
            if isinstance(item, int):
                await self.socket.close(code=item)
                return
            text = json.dumps(item, separators=(",", ":"))
            if self.deflate is None:
                await self.socket.send_str(text)
            else:
                packed = self.deflate.compress(text.encode()) + self.deflate.flush(zlib.Z_SYNC_FLUSH)
                await self.socket.send_bytes(packed)

    def send(self, payload: Json) -> None:
        self.outbox.put_nowait(payload)

    def close(self, code: int) -> None:
        self.outbox.put_nowait(code)


@dataclass(eq=False)
class _Session:
    """One gateway session; it outlives its socket so that it can be resumed."""

    intents: Intent
    shard: list[int]
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    sequence: int = 0
    sent: deque[Json] = field(default_factory=lambda: deque(maxlen=MEMORY))
    connection: _Connection | None = None

    def dispatch(self, event: str, data: Json) -> None:
        self.sequence += 1
        payload = {"op": 0, "t": event, "s": self.sequence, "d": data}
        self.sent.append(payload)
        if self.connection:
            self.connection.send(payload)


class _Closed(Exception):  # noqa: N818 - an end, not an error
    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Gateway:
    """The bot's sessions, and faults that a test can cause."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.token = ""
        self.url = ""
        self.identifies = 0
        self.resumes = 0
        self._sessions: dict[str, _Session] = {}
        self._stop = world.listen(self._dispatch)

    @property
    def connected(self) -> bool:
        return any(each.connection for each in self._sessions.values())

    async def close(self) -> None:
        self._stop()
        for session in self._sessions.values():
            if session.connection:
                await session.connection.socket.close(code=1001)

    def _dispatch(self, dispatch: Dispatch) -> None:
        if not self.world.reaches(dispatch, self.world.bot):
            return
        for session in self._sessions.values():
            in_guild = "guild_id" in dispatch.data or dispatch.event.startswith("GUILD_")
            needed = _intent_for(dispatch.event, in_guild=in_guild)
            if needed is None or session.intents & needed:
                session.dispatch(dispatch.event, self._allowed_data(dispatch, session))

    def _allowed_data(self, dispatch: Dispatch, session: _Session) -> Json:
        """Return the dispatch's data without the fields that the session's intents don't cover."""
        data = dispatch.data
        if dispatch.event == "GUILD_CREATE":
            return self._known(data, session)
        if dispatch.event not in {"MESSAGE_CREATE", "MESSAGE_UPDATE"} or session.intents & Intent.MESSAGE_CONTENT:
            return data
        me = str(self.world.bot.id)
        if data["author"]["id"] == me or "guild_id" not in data or me in [each["id"] for each in data["mentions"]]:
            return data
        return data | {"content": "", "embeds": [], "attachments": [], "components": []}

    def _known(self, guild: Json, session: _Session) -> Json:
        """List only the bot itself as a member if it lacks the members intent."""
        if session.intents & Intent.MEMBERS:
            return guild
        me = str(self.world.bot.id)
        return guild | {"members": [each for each in guild["members"] if each["user"]["id"] == me]}

    # Faults that tests cause

    def drop(self) -> None:
        """Drop the connection without a close code."""
        for session in self._sessions.values():
            if session.connection and isinstance(session.connection.transport, asyncio.Transport):
                session.connection.transport.abort()

    def ask_to_reconnect(self) -> None:
        """Send op 7: reconnect and resume."""
        for session in self._sessions.values():
            if session.connection:
                session.connection.send({"op": 7, "d": None, "s": None, "t": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        """Send op 9: the session is invalid."""
        for session in list(self._sessions.values()):
            if session.connection:
                session.connection.send({"op": 9, "d": resumable, "s": None, "t": None})
            if not resumable:
                self._sessions.pop(session.id, None)

    def close_with(self, code: int) -> None:
        for session in self._sessions.values():
            if session.connection:
                session.connection.close(code)

    # The socket

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one client until either side closes."""
        socket = web.WebSocketResponse(timeout=1.0, max_msg_size=64 * 1024, compress=False)
        await socket.prepare(request)
        streamed = request.query.get("compress") == "zlib-stream"
        connection = _Connection(socket, request.transport, zlib.compressobj() if streamed else None)
        connection.send({"op": 10, "d": {"heartbeat_interval": HEARTBEAT_MS, "_trace": []}, "s": None, "t": None})
        pump = asyncio.create_task(connection.pump())
        session: _Session | None = None
        try:
            async for message in socket:
                if message.type not in {WSMsgType.TEXT, WSMsgType.BINARY}:
                    break
                session = self._receive(message.data, session, connection) or session
        except _Closed as closed:
            await socket.close(code=closed.code)
        except ConnectionError:
            pass
        finally:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)
            if session and session.connection is connection:
                session.connection = None
                if socket.close_code in {1000, 1001}:  # the client has closed the socket
                    self._sessions.pop(session.id, None)
        return socket

    def _receive(self, raw: str | bytes, session: _Session | None, connection: _Connection) -> _Session | None:
        try:
            payload = json.loads(raw)
            op, data = payload["op"], payload.get("d")
        except (ValueError, KeyError, TypeError) as error:
            raise _Closed(4002) from error
        match op:
            case 1:
                connection.send({"op": 11, "d": None, "s": None, "t": None})
            case 2 if session is None:
                return self._identify(data, connection)
            case 6 if session is None:
                return self._resume(data, connection)
            case 2 | 6:
                raise _Closed(4005)
            case _ if session is None:
                raise _Closed(4003)
            case 8:
                self._members(data, session)
            case 3 | 4 | 31:
                pass
            case _:
                raise _Closed(4001)
        return None

    def _identify(self, data: Json, connection: _Connection) -> _Session:
        self._authenticate(data)
        self.identifies += 1
        intents = data.get("intents", 0)
        if intents & ~_KNOWN_INTENTS:
            raise _Closed(4013)
        for intent, flag in _PRIVILEGED.items():
            if intents & intent and not self.world.application.flags & (flag | flag << 1):
                raise _Closed(4014)
        session = _Session(Intent(intents), data.get("shard") or [0, 1], connection=connection)
        self._sessions[session.id] = session
        world = self.world
        mine = [guild for guild in world.guilds.values() if world.bot.id in guild.members]
        session.dispatch(
            "READY",
            {
                "v": 10,
                "user": payloads.own_user(world.bot),
                "guilds": [{"id": str(guild.id), "unavailable": True} for guild in mine],
                "session_id": session.id,
                "session_type": "normal",
                "resume_gateway_url": self.url,
                "shard": session.shard,
                "application": {"id": str(world.application.id), "flags": world.application.flags},
                "private_channels": [],
                "relationships": [],
                "presences": [],
                "user_settings": {},
            },
        )
        if session.intents & Intent.GUILDS:
            for guild in mine:
                session.dispatch("GUILD_CREATE", self._known(world.gateway_guild(guild), session))
        return session

    def _resume(self, data: Json, connection: _Connection) -> _Session | None:
        self._authenticate(data)
        session = self._sessions.get(data.get("session_id", ""))
        sequence = data.get("seq") or 0
        if session is None or sequence < session.sequence - len(session.sent):
            connection.send({"op": 9, "d": False, "s": None, "t": None})
            return None
        if sequence > session.sequence:
            raise _Closed(4007)
        self.resumes += 1
        if session.connection:
            session.connection.close(4000)
        session.connection = connection
        for payload in session.sent:
            if payload["s"] > sequence:
                connection.send(payload)
        session.dispatch("RESUMED", {"_trace": []})
        return session

    def _authenticate(self, data: object) -> None:
        token = data.get("token") if isinstance(data, dict) else None
        if not isinstance(token, str) or not secrets.compare_digest(token.removeprefix("Bot "), self.token):
            raise _Closed(4004)

    def _members(self, data: Json, session: _Session) -> None:
        guild = self.world.guilds.get(int(data["guild_id"]))
        if guild is None:
            return
        asked = data.get("user_ids")
        wanted = {str(each) for each in (asked if isinstance(asked, list) else [asked])} if asked else None
        start = (data.get("query") or "").lower()
        members = [
            payloads.member(each)
            for each in guild.members.values()
            if (wanted is None or str(each.id) in wanted) and each.user.name.lower().startswith(start)
        ]
        chunk: Json = {"guild_id": str(guild.id), "members": members, "chunk_index": 0, "chunk_count": 1}
        if data.get("nonce"):
            chunk["nonce"] = data["nonce"]
        if wanted:
            chunk["not_found"] = sorted(wanted - {each["user"]["id"] for each in members})
        session.dispatch("GUILD_MEMBERS_CHUNK", chunk)
