"""Sends POST requests to the bot, and retries while the bot is not running."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from permission_mcp.http_post import BotAway, HttpResponse, post
from shared.protocol import ADDRESS_ENV, PATIENCE_ENV, TOKEN_ENV

PATIENCE = 15 * 60.0
"""Seconds to wait for a bot that is not running: longer than an upgrade or a reboot takes, but not forever."""
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
NOT_READY = frozenset({502, 503})

log = logging.getLogger(__name__)


class BotGone(Exception):  # noqa: N818 - what happened
    """The bot has not been running for as long as we are willing to wait; Claude is told so."""

    def __init__(self, patience: float) -> None:
        span = f"{patience / 60:.0f} minutes" if patience >= 120 else f"{patience:g} seconds"
        super().__init__(
            f"Nobody was asked: claude-discord has not been running for {span}. "
            "Don't look for a way around this. Say that you need a permission, then stop."
        )


@dataclass(frozen=True, slots=True)
class BotAddress:
    """Where the bot listens, the token it expects, and how long to wait while it is not running."""

    address_file: Path
    token: str
    patience: float = PATIENCE

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self | None:
        """Read the environment that the bot set for us; return None if someone else started us."""
        address_file, token = environment.get(ADDRESS_ENV), environment.get(TOKEN_ENV)
        if not address_file or not token:
            return None
        try:
            patience = float(environment[PATIENCE_ENV])
        except (KeyError, ValueError):
            patience = PATIENCE
        return cls(Path(address_file), token, patience if patience >= 0 else PATIENCE)  # NaN is not >= 0 either

    def url(self, route: str) -> str:
        # Read for every attempt: a restarted bot may have a different port.
        try:
            return self.address_file.read_text(encoding="utf-8").strip() + route
        except (OSError, UnicodeDecodeError) as error:
            raise BotAway(f"{self.address_file} can't be read") from error


async def post_until_answered(route: str, body: bytes, bot: BotAddress) -> HttpResponse:
    """POST until the bot responds; raise `BotGone` if that takes too long."""
    now = asyncio.get_running_loop().time
    gone_since, pause = now(), FIRST_PAUSE
    while True:
        try:
            response = await post(bot.url(route), body, bot.token)
            if response.status not in NOT_READY:
                return response
            log.info("The bot responded with status %s.", response.status)
        except BotAway as away:
            log.info("The bot did not respond: %s.", away)
            if away.held > LONGEST_PAUSE:  # it was running and waiting for a person, so it has only just stopped
                gone_since, pause = now(), FIRST_PAUSE
        if now() - gone_since >= bot.patience:
            raise BotGone(bot.patience)
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def refusal_reason(response: HttpResponse) -> str:
    """Return the bot's own sentence about its refusal, or one with the status if it sent none."""
    try:
        match json.loads(response.body):
            case {"error": str(sentence)} if sentence:
                return sentence
    except ValueError:
        pass
    return f"claude-discord answered with HTTP status {response.status}."
