"""Have the bot send a file to the thread; it looks at the file itself, and decides."""

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from permission_mcp.ask_bot import BotAddress, BotGone, post_until_answered, reason
from permission_mcp.http_post import NotHttp
from shared.protocol import FILE_ROUTE, FileAnswer, FileRequest

NOBODY = "The file was not sent: claude-discord can't be reached."

log = logging.getLogger(__name__)


async def send_file(arguments: Mapping[str, Any], tool_use_id: str, bot: BotAddress | None) -> FileAnswer:
    """Answer the model's call; an exception would only reach it masked."""
    if bot is None:
        return FileAnswer(sent=False, message=NOBODY)
    try:
        wish = FileRequest.model_validate({**arguments, "tool_use_id": tool_use_id})
        answer = await post_until_answered(FILE_ROUTE, wish.model_dump_json().encode(), bot)
        if answer.status != 200:
            return FileAnswer(sent=False, message=reason(answer))
        return FileAnswer.model_validate_json(answer.body)
    except ValidationError as error:
        return FileAnswer(sent=False, message=f"This can't be sent: {error.errors()[0]['msg']}.")
    except (NotHttp, BotGone):
        return FileAnswer(sent=False, message=NOBODY)
    except Exception:
        log.exception("sending a file failed")
        return FileAnswer(sent=False, message="The file was not sent: the server failed, and says why on its stderr.")
