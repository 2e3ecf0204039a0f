"""A bot for `permission_mcp`: its endpoint is real, and the test decides."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from shared import protocol
from shared.protocol import Allow, Deny, Request

ROOT = Path(protocol.__file__).parent.parent
"""The folder with our packages: the repository, or site-packages."""
BOUND = 15.0
TOKEN = "the-token-of-this-run"


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """A request as it arrived; the test answers it."""

    request: Request
    headers: Mapping[str, str]
    answered: asyncio.Future[web.Response]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client closed the connection before it had an answer."""

    def decide(self, decision: Allow | Deny) -> None:
        self.respond(web.json_response(text=protocol.encode(decision)))

    def respond(self, response: web.Response) -> None:
        self.answered.set_result(response)


class FakeBot:
    """The bot's endpoint on a real socket, which a test can start and stop."""

    def __init__(self, folder: Path) -> None:
        self.address_file = folder / "address"
        self.asked: asyncio.Queue[HeldRequest] = asyncio.Queue()
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application(client_max_size=protocol.MAX_BODY)
        app.router.add_post(protocol.ASK_ROUTE, self._ask)
        # A shutdown_timeout of 0 would wait forever.
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0]
        self.write_address(f"http://{host}:{port}")

    def write_address(self, address: str) -> None:
        self.address_file.write_text(address, encoding="utf-8")

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def next(self) -> HeldRequest:
        async with asyncio.timeout(BOUND):
            return await self.asked.get()

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            protocol.ADDRESS_ENV: str(self.address_file),
            protocol.TOKEN_ENV: TOKEN,
            **more,
        }

    async def _ask(self, request: web.Request) -> web.Response:
        asked = HeldRequest(
            Request.model_validate_json(await request.read()),
            request.headers,
            asyncio.get_running_loop().create_future(),
        )
        await self.asked.put(asked)
        try:
            return await asked.answered
        except asyncio.CancelledError:
            asked.gone.set()
            raise
