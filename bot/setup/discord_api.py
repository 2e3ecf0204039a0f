"""A client for the part of Discord's REST API that the setup needs."""

import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
from pydantic import BaseModel

from bot.errors import DiscordAway, DiscordError
from bot.setup.discord_permissions import MESSAGE_CONTENT, MESSAGE_CONTENT_LIMITED, ChannelInfo, MemberInfo, RoleInfo

SLASH = 1
"""Discord's type number of a slash command."""
API = "https://discord.com/api/v10"
WITHIN = aiohttp.ClientTimeout(total=20)
USER_AGENT = "DiscordBot (claude-discord, 0.1)"


class DiscordApiError(DiscordError):
    """Discord refused a request."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"Discord says: {message} ({status}).")
        self.refusal = status


class DiscordUnreachable(DiscordAway):
    """Discord did not answer."""


class BotUser(BaseModel):
    id: int
    username: str


class ApplicationInfo(BaseModel):
    """The bot's application, as the Developer Portal shows it."""

    id: int
    name: str
    bot: BotUser
    flags: int = 0
    interactions_endpoint_url: str | None = None

    @property
    def reads_messages(self) -> bool:
        return bool(self.flags & (MESSAGE_CONTENT | MESSAGE_CONTENT_LIMITED))


def looks_like_a_token(token: str) -> bool:
    """Check a pasted token before it is sent anywhere: it begins with the bot's user id in base64."""
    head, *rest = token.split(".")
    try:
        number = base64.b64decode(head + "=" * (-len(head) % 4)).decode()
    except ValueError:
        return False
    return len(rest) == 2 and number.isdigit()


@dataclass(frozen=True)
class DiscordApi:
    """Sends requests to Discord with one token."""

    session: aiohttp.ClientSession
    base: str

    async def application(self) -> ApplicationInfo:
        return ApplicationInfo.model_validate(await self.call("GET", "/applications/@me"))

    async def read_messages(self, application: ApplicationInfo) -> ApplicationInfo:
        """Turn on the Message Content intent; a bot may do this itself, without the portal."""
        wanted = application.flags | MESSAGE_CONTENT_LIMITED
        return ApplicationInfo.model_validate(await self.call("PATCH", "/applications/@me", {"flags": wanted}))

    async def commands(self, application: int) -> list[str]:
        """Return the names of the registered commands: /name for slash commands, «name» for context menus."""
        found = await self.call("GET", f"/applications/{application}/commands")
        return [f"/{each['name']}" if each.get("type", SLASH) == SLASH else f"«{each['name']}»" for each in found]

    async def channel(self, channel: int) -> ChannelInfo:
        return ChannelInfo.model_validate(await self.call("GET", f"/channels/{channel}"))

    async def roles(self, guild: int) -> list[RoleInfo]:
        return [RoleInfo.model_validate(each) for each in await self.call("GET", f"/guilds/{guild}/roles")]

    async def member(self, guild: int, user: int) -> MemberInfo:
        return MemberInfo.model_validate(await self.call("GET", f"/guilds/{guild}/members/{user}"))

    async def guilds(self) -> list[str]:
        """Return the names of the servers that the bot is in."""
        return [each["name"] for each in await self.call("GET", "/users/@me/guilds")]

    async def time(self) -> float | None:
        """Return the time of Discord's clock; None if it doesn't send one."""
        try:
            async with self.session.get(f"{self.base}/gateway") as response:
                date = response.headers.get("Date")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DiscordUnreachable(_unreachable(error)) from None
        return parsedate_to_datetime(date).timestamp() if date else None

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        try:
            async with self.session.request(method, self.base + path, json=body) as response:
                text = await response.text()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise DiscordUnreachable(_unreachable(error)) from None
        try:
            answer = json.loads(text)
        except ValueError:
            raise DiscordUnreachable(f"The server at {self.base} is not Discord. Check `discord_api`.") from None
        if response.status >= 400:
            raise DiscordApiError(response.status, str(answer.get("message") or response.reason))
        return answer


def _unreachable(error: Exception) -> str:
    return f"Discord can't be reached: {str(error) or 'no answer'}. Check the network."


@asynccontextmanager
async def open_api(token: str, api: str | None) -> AsyncIterator[DiscordApi]:
    """Provide a client with this token inside the block."""
    headers = {"Authorization": f"Bot {token}", "User-Agent": USER_AGENT}
    async with aiohttp.ClientSession(headers=headers, timeout=WITHIN) as session:
        yield DiscordApi(session, (api or API).rstrip("/"))
