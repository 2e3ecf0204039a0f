"""A client without any library: it sends the sandbox exactly what it is told to."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from sandbox.discord import Discord


@dataclass(frozen=True)
class Reply:
    status: int
    body: Any
    headers: dict[str, str]

    @property
    def code(self) -> int:
        return int(self.body["code"])

    def error_at(self, *path: str | int) -> str:
        """Return the code of the form error at this path."""
        node = self.body["errors"]
        for step in path:
            node = node[str(step)]
        return str(node["_errors"][0]["code"])


@dataclass(frozen=True)
class Client:
    session: aiohttp.ClientSession
    discord: Discord

    async def __call__(self, method: str, path: str, body: Any = None, **files: bytes) -> Reply:
        data: Any = None
        if files:
            data = aiohttp.FormData()
            data.add_field("payload_json", aiohttp.JsonPayload(body))
            for number, (name, content) in enumerate(files.items()):
                data.add_field(f"files[{number}]", io.BytesIO(content), filename=f"{name}.txt")
        async with self.session.request(
            method, self.discord.rest_url + path, json=None if files else body, data=data
        ) as response:
            headers = dict(response.headers)
            return Reply(response.status, None if response.status == 204 else await response.json(), headers)


@asynccontextmanager
async def client(discord: Discord, token: str | None = None) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bot {token or discord.token}"}
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        yield Client(session, discord)
