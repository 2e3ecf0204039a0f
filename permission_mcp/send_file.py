"""The tool `send_file`: asks the bot to send a file to the thread; the bot reads the file and decides."""

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from permission_mcp.bot_client import BotAddress, BotGone, post_until_answered, refusal_reason
from permission_mcp.http_post import NotHttp
from shared.protocol import FILE_ROUTE, FileAnswer, FileRequest

BOT_UNREACHABLE = "The file was not sent: claude-discord can't be reached."

log = logging.getLogger(__name__)


async def send_file(arguments: Mapping[str, Any], tool_use_id: str, bot: BotAddress | None) -> FileAnswer:
    """Answer Claude's call. Never raises: Claude would see only that something failed."""
    if bot is None:
        return FileAnswer(sent=False, message=BOT_UNREACHABLE)
    try:
        request = FileRequest.model_validate({**arguments, "tool_use_id": tool_use_id})
        response = await post_until_answered(FILE_ROUTE, request.model_dump_json().encode(), bot)
        if response.status != 200:
            return FileAnswer(sent=False, message=refusal_reason(response))
        return FileAnswer.model_validate_json(response.body)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        return FileAnswer(sent=False, message=f"The file was not sent: the request is invalid ({reason}).")
    except (NotHttp, BotGone):
        return FileAnswer(sent=False, message=BOT_UNREACHABLE)
    except Exception:
        log.exception("Sending a file failed.")
        return FileAnswer(sent=False, message="The file was not sent: the server failed. Its stderr says why.")
