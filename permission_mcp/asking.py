"""Ask the bot for a decision, again and again while it is away, and never raise."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from permission_mcp.post import Answer, Away, NotHttp, post
from shared.protocol import ADDRESS_ENV, ASK_ROUTE, PATIENCE_ENV, TOKEN_ENV, Allow, Deny, Request, decode

PATIENCE = 15 * 60.0
"""An upgrade or a reboot of the bot is shorter; a bot that nobody starts again is longer."""
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bot:
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

    def url(self) -> str:
        # Read for every try: a restarted bot may have another port.
        try:
            return self.address_file.read_text(encoding="utf-8").strip() + ASK_ROUTE
        except (OSError, UnicodeDecodeError) as error:
            raise Away(f"{self.address_file} can't be read") from error


async def approve(arguments: Mapping[str, Any], bot: Bot | None) -> Allow | Deny:
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


async def ask(request: Request, bot: Bot) -> Allow | Deny:
    """Wait for the bot's decision; a bot that comes back is asked again, and knows the request by its id."""
    body = request.model_dump_json().encode()
    now = asyncio.get_running_loop().time
    gone_since, pause = now(), FIRST_PAUSE
    while True:
        try:
            return decision(await post(bot.url(), body, bot.token))
        except NotHttp:
            return Deny(message="The request was refused: something other than claude-discord answered it.")
        except Away as away:
            log.info("the bot is away: %s", away)
            if away.held > LONGEST_PAUSE:  # it was there and waited for a person, so it is gone only now
                gone_since, pause = now(), FIRST_PAUSE
        if now() - gone_since >= bot.patience:
            return Deny(message=_unheard(bot.patience))
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def decision(answer: Answer) -> Allow | Deny:
    """Read the bot's answer, or raise `Away` when it only says that it isn't ready."""
    match answer.status:
        case 200:
            try:
                return decode(answer.body)
            except ValidationError:
                return Deny(message="The request was refused: claude-discord's answer could not be read.")
        case 502 | 503:
            raise Away(f"the bot answered {answer.status}")
        case status:
            reason = _sentence(answer.body) or f"claude-discord answered with HTTP status {status}."
            return Deny(message=reason)


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
