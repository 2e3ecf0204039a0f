"""The tool `approve`: asks the bot whether Claude may use a tool, and denies it when in doubt."""

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from permission_mcp.bot_client import BotAddress, BotGone, post_until_answered, refusal_reason
from permission_mcp.http_post import HttpResponse, NotHttp
from shared.protocol import ADDRESS_ENV, ASK_ROUTE, TOKEN_ENV, Allow, Deny, Request, decode

log = logging.getLogger(__name__)


async def approve(arguments: Mapping[str, Any], bot: BotAddress | None) -> Allow | Deny:
    """Answer the CLI's call. Never raises: Claude would see only that something failed."""
    if bot is None:
        return Deny(message=f"Nobody was asked: {ADDRESS_ENV} and {TOKEN_ENV} are not set for this MCP server.")
    try:
        return await _ask_bot(Request.model_validate(arguments), bot)
    except ValidationError as error:
        return Deny(message=f"Nobody was asked: the request is invalid ({error.errors()[0]['msg']}).")
    except Exception:
        log.exception("Asking the bot failed.")
        return Deny(message="Nobody was asked: the permission server failed. Its stderr says why.")


async def _ask_bot(request: Request, bot: BotAddress) -> Allow | Deny:
    """Wait for the bot's decision; after a restart the bot is asked again and recognizes the request by its id."""
    try:
        response = await post_until_answered(ASK_ROUTE, request.model_dump_json().encode(), bot)
    except NotHttp:
        return Deny(message="The request was denied: something other than claude-discord answered it.")
    except BotGone as gone:
        return Deny(message=str(gone))
    return _decision(response)


def _decision(response: HttpResponse) -> Allow | Deny:
    if response.status == 200:
        try:
            return decode(response.body)
        except ValidationError:
            return Deny(message="The request was denied: claude-discord's answer could not be read.")
    return Deny(message=refusal_reason(response))
