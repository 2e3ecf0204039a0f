"""The client for the running bot, used by the command line; address and token are in the state folder."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from bot.errors import ConnectionLost, NotDone, NotRunning
from bot.local_api.owner_protocol import ADDRESS_FILE, HEALTH_ROUTE, TOKEN_FILE, Health

ANSWER_WITHIN = 60.0
"""A stop waits for Claude, and Discord may be slow to open a thread."""
HEALTH_WITHIN = 5.0


class BotClient:
    """Sends requests to the bot that uses a state folder."""

    def __init__(self, state: Path) -> None:
        self._state = state

    def get(self, route: str) -> Any:
        """Send a request and give the JSON of the response."""
        return self._ask("GET", route, None)

    def post(self, route: str, body: BaseModel | None = None) -> Any:
        return self._ask("POST", route, body)

    def lines(self, route: str, body: BaseModel) -> Iterator[Any]:
        """Yield each line of a long response as it arrives."""
        with self._answer("POST", route, body, within=None) as response:
            try:
                for line in response:
                    yield json.loads(line)
            except (OSError, http.client.HTTPException, ValueError):
                raise ConnectionLost("The connection to the bot was lost.") from None

    def health(self) -> Health | None:
        """Get the bot's health; None if no bot is running."""
        try:
            with self._answer("GET", HEALTH_ROUTE, None, within=HEALTH_WITHIN) as response:
                return Health.model_validate_json(response.read())
        except (NotRunning, NotDone, OSError, http.client.HTTPException, ValueError):
            return None

    def _ask(self, method: str, route: str, body: BaseModel | None) -> Any:
        with self._answer(method, route, body, within=ANSWER_WITHIN) as response:
            try:
                return json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError):
                raise ConnectionLost("The connection to the bot was lost.") from None

    @contextmanager
    def _answer(
        self, method: str, route: str, body: BaseModel | None, *, within: float | None
    ) -> Iterator[http.client.HTTPResponse]:
        address = urlsplit(self._read(ADDRESS_FILE))
        token = self._read(TOKEN_FILE)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=within)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        content = None if body is None else body.model_dump_json().encode()
        try:
            try:
                connection.request(method, route, content, headers)
                response = connection.getresponse()
            except TimeoutError:
                raise NotDone(f"The bot did not answer within {within:g} s. Its log may say why.") from None
            except (OSError, http.client.HTTPException):
                raise self._not_running() from None
            if response.status not in {http.client.OK, http.client.SERVICE_UNAVAILABLE}:  # unhealthy bots answer too
                raise self._refused(response)
            yield response
        finally:
            connection.close()

    def _refused(self, response: http.client.HTTPResponse) -> NotDone | NotRunning:
        try:
            sentence = str(json.loads(response.read())["error"])
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
            return self._not_running()  # another program has the bot's port now
        return NotDone(sentence) if response.status != http.client.UNAUTHORIZED else self._not_running()

    def _read(self, name: str) -> str:
        try:
            return (self._state / name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise self._not_running() from None

    def _not_running(self) -> NotRunning:
        return NotRunning(
            f"No bot is running with the state folder {self._state}. Start it with `claude-discord run`, "
            "or name its configuration with --config."
        )
