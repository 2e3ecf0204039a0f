"""How this server reaches the bot: where the bot listens, and a POST that is repeated while it is away."""

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
"""Longer than an upgrade or a reboot of the bot takes, shorter than for ever."""
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
NOT_READY = frozenset({502, 503})

log = logging.getLogger(__name__)


class BotGone(Exception):  # noqa: N818 - what happened
    """The bot has been away for longer than its patience allows."""


@dataclass(frozen=True, slots=True)
class BotAddress:
    """Where the bot listens, the token it expects, and how long it may be away."""

    address_file: Path
    token: str
    patience: float = PATIENCE

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self | None:
        """Read what the bot put into our environment; None if someone else started us."""
        address_file, token = environment.get(ADDRESS_ENV), environment.get(TOKEN_ENV)
        if not address_file or not token:
            return None
        try:
            patience = float(environment[PATIENCE_ENV])
        except (KeyError, ValueError):
            patience = PATIENCE
        return cls(Path(address_file), token, patience if patience >= 0 else PATIENCE)  # not a number is not >= 0

    def url(self, route: str) -> str:
        # Read for every try: a restarted bot may have another port.
        try:
            return self.address_file.read_text(encoding="utf-8").strip() + route
        except (OSError, UnicodeDecodeError) as error:
            raise BotAway(f"{self.address_file} can't be read") from error


async def post_until_answered(route: str, body: bytes, bot: BotAddress) -> HttpResponse:
    """POST until the bot responds; raises `BotGone` if it is away for too long."""
    now = asyncio.get_running_loop().time
    gone_since, pause = now(), FIRST_PAUSE
    while True:
        try:
            response = await post(bot.url(route), body, bot.token)
            if response.status not in NOT_READY:
                return response
            log.info("the bot responded with %s", response.status)
        except BotAway as away:
            log.info("the bot is away: %s", away)
            if away.held > LONGEST_PAUSE:  # it was there and waited for a person, so it is gone only now
                gone_since, pause = now(), FIRST_PAUSE
        if now() - gone_since >= bot.patience:
            raise BotGone
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def refusal_reason(response: HttpResponse) -> str:
    """Give the bot's own sentence for its refusal, or the status if it sent none."""
    try:
        match json.loads(response.body):
            case {"error": str(sentence)} if sentence:
                return sentence
    except ValueError:
        pass
    return f"claude-discord answered with HTTP status {response.status}."
