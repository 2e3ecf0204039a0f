"""The way from the terminal to the running bot: its address and our token stand in its state folder."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from bot.errors import NotDone, NotRunning
from bot.local_api.owner_protocol import ADDRESS_FILE, HEALTH_ROUTE, TOKEN_FILE, Health

ANSWER_WITHIN = 60.0
"""A stop waits for Claude's word, and Discord may be slow in opening a thread."""
HEALTH_WITHIN = 5.0


class Lost(NotRunning):
    """The bot went away in the middle of its answer."""


class Door:
    """Asks the bot that holds a state folder."""

    def __init__(self, state: Path) -> None:
        self._state = state

    def get(self, route: str) -> Any:
        """Ask, and give the answer's JSON."""
        return self._ask("GET", route, None)

    def post(self, route: str, wish: BaseModel | None = None) -> Any:
        return self._ask("POST", route, wish)

    def lines(self, route: str, wish: BaseModel) -> Iterator[Any]:
        """Give each line of a long answer as it comes."""
        with self._answer("POST", route, wish, within=None) as response:
            try:
                for line in response:
                    yield json.loads(line)
            except (OSError, http.client.HTTPException, ValueError):
                raise Lost("The bot went away in the middle of its answer.") from None

    def health(self) -> Health | None:
        """How the bot is; None when there is none."""
        try:
            with self._answer("GET", HEALTH_ROUTE, None, within=HEALTH_WITHIN) as response:
                return Health.model_validate_json(response.read())
        except (NotRunning, NotDone, OSError, http.client.HTTPException, ValueError):
            return None

    def _ask(self, method: str, route: str, wish: BaseModel | None) -> Any:
        with self._answer(method, route, wish, within=ANSWER_WITHIN) as response:
            try:
                return json.loads(response.read())
            except (OSError, http.client.HTTPException, ValueError):
                raise Lost("The bot went away in the middle of its answer.") from None

    @contextmanager
    def _answer(
        self, method: str, route: str, wish: BaseModel | None, *, within: float | None
    ) -> Iterator[http.client.HTTPResponse]:
        address = urlsplit(self._read(ADDRESS_FILE))
        token = self._read(TOKEN_FILE)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=within)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        body = None if wish is None else wish.model_dump_json().encode()
        try:
            try:
                connection.request(method, route, body, headers)
                response = connection.getresponse()
            except TimeoutError:
                raise NotDone(f"The bot has not answered within {within:g} s; its log may say why.") from None
            except (OSError, http.client.HTTPException):
                raise self._nobody() from None
            if response.status not in {http.client.OK, http.client.SERVICE_UNAVAILABLE}:  # not well, and says so
                raise self._refused(response)
            yield response
        finally:
            connection.close()

    def _refused(self, response: http.client.HTTPResponse) -> NotDone | NotRunning:
        try:
            sentence = str(json.loads(response.read())["error"])
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
            return self._nobody()  # another program has been given the bot's port
        return NotDone(sentence) if response.status != http.client.UNAUTHORIZED else self._nobody()

    def _read(self, name: str) -> str:
        try:
            return (self._state / name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise self._nobody() from None

    def _nobody(self) -> NotRunning:
        return NotRunning(
            f"No bot is running with the state folder {self._state}. Start it with `claude-discord run`, "
            "or name its configuration with --config."
        )
