"""Ask the bot for a decision, again and again while it is away, and never raise."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from permission_mcp.http_post import BotAway, HttpResponse, NotHttp, post
from shared.protocol import ADDRESS_ENV, ASK_ROUTE, PATIENCE_ENV, TOKEN_ENV, Allow, Deny, Request, decode

PATIENCE = 15 * 60.0
"""An upgrade or a reboot of the bot is shorter; a bot that nobody starts again is longer."""
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0
NOT_READY = frozenset({502, 503})


class BotGone(Exception):  # noqa: N818 - what happened
    """The bot has been away for longer than anyone's patience."""


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BotAddress:
    """Where the bot can be found, and for how long it may be away."""

    address_file: Path
    token: str
    patience: float = PATIENCE

    @classmethod
    def named_in(cls, environment: Mapping[str, str]) -> Self | None:
        """Read what the bot put into our environment; None when we were started by someone else."""
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


async def approve(arguments: Mapping[str, Any], bot: BotAddress | None) -> Allow | Deny:
    """Answer the CLI's call of the permission tool. Doubt is a denial: an exception would only reach Claude masked."""
    if bot is None:
        return Deny(message=f"Nobody can be asked: {ADDRESS_ENV} and {TOKEN_ENV} are not set for this MCP server.")
    try:
        return await ask(Request.model_validate(arguments), bot)
    except ValidationError as error:
        return Deny(message=f"This request can't be shown to anyone: {error.errors()[0]['msg']}.")
    except Exception:
        log.exception("asking the bot failed")
        return Deny(message="Nobody was asked: the permission server failed, and says why on its stderr.")


async def ask(request: Request, bot: BotAddress) -> Allow | Deny:
    """Wait for the bot's decision; a bot that comes back is asked again, and knows the request by its id."""
    try:
        return decision(await post_until_answered(ASK_ROUTE, request.model_dump_json().encode(), bot))
    except NotHttp:
        return Deny(message="The request was refused: something other than claude-discord answered it.")
    except BotGone:
        return Deny(message=_unheard(bot.patience))


async def post_until_answered(route: str, body: bytes, bot: BotAddress) -> HttpResponse:
    """Ask until there is an answer; raises `Unheard` when the bot has been away for too long."""
    now = asyncio.get_running_loop().time
    gone_since, pause = now(), FIRST_PAUSE
    while True:
        try:
            answer = await post(bot.url(route), body, bot.token)
            if answer.status not in NOT_READY:
                return answer
            log.info("the bot answered %s", answer.status)
        except BotAway as away:
            log.info("the bot is away: %s", away)
            if away.held > LONGEST_PAUSE:  # it was there and waited for a person, so it is gone only now
                gone_since, pause = now(), FIRST_PAUSE
        if now() - gone_since >= bot.patience:
            raise BotGone
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def decision(answer: HttpResponse) -> Allow | Deny:
    """Read the bot's answer."""
    if answer.status == 200:
        try:
            return decode(answer.body)
        except ValidationError:
            return Deny(message="The request was refused: claude-discord's answer could not be read.")
    return Deny(message=reason(answer))


def reason(answer: HttpResponse) -> str:
    """Say why the bot did not do what it was asked."""
    return _sentence(answer.body) or f"claude-discord answered with HTTP status {answer.status}."


def _sentence(body: bytes) -> str | None:
    try:
        match json.loads(body):
            case {"error": str(sentence)}:
                return sentence
    except ValueError:
        pass
    return None


def _unheard(patience: float) -> str:
    span = f"{patience / 60:.0f} minutes" if patience >= 120 else f"{patience:g} seconds"
    return (
        f"Nobody could be asked: claude-discord has not been running for {span}. "
        "Don't look for a way around; say that this needs a permission, and stop."
    )
