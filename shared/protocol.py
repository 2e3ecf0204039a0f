"""The requests that `permission_mcp` sends to the bot over HTTP, and the bot's responses."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

ASK_ROUTE = "/ask"
"""POST a `Request` as JSON; the bot responds with a `Decision` when a person has decided."""

FILE_ROUTE = "/file"
"""POST a `FileRequest` as JSON; the bot responds with a `FileAnswer` when the file has been sent or refused."""

ADDRESS_ENV = "CLAUDE_DISCORD_ADDRESS_FILE"
"""The file that the running bot writes its address to: a restarted bot may have a different port."""
TOKEN_ENV = "CLAUDE_DISCORD_RUN_TOKEN"  # noqa: S105 - the variable's name, not a token
"""The token of this run: whoever has it can make requests in this conversation, but decide nothing."""
PATIENCE_ENV = "CLAUDE_DISCORD_PATIENCE"
"""Seconds to keep trying while no bot responds, before the request is denied."""

SERVER_NAME = "discord"
TOOL_NAME = "approve"
FILE_TOOL = "send_file"
MAX_BODY = 32 * 1024 * 1024  # a Write request contains the whole file


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)


class Request(_Body):
    """A request to use a tool: the arguments of the CLI's call, unchanged."""

    tool_name: str
    input: dict[str, Any]
    tool_use_id: str


class Allow(_Body):
    """Claude may use the tool with exactly this input."""

    behavior: Literal["allow"] = "allow"
    updated_input: dict[str, Any] = Field(alias="updatedInput")


class Deny(_Body):
    """Claude may not use the tool; it reads the message word for word."""

    behavior: Literal["deny"] = "deny"
    message: str
    interrupt: bool = False


class FileRequest(_Body):
    """A request to send a file to the people in the conversation."""

    path: str
    caption: str = ""
    tool_use_id: str
    """The id of this use; a call with the same id sends the same file."""


class FileAnswer(_Body):
    """Whether the file was sent; Claude reads the message."""

    sent: bool
    message: str


Decision = Annotated[Allow | Deny, Field(discriminator="behavior")]
decision_adapter: TypeAdapter[Allow | Deny] = TypeAdapter(Decision)


def encode(decision: Allow | Deny) -> str:
    """Return the JSON that the CLI expects from its permission tool."""
    return decision.model_dump_json(by_alias=True, exclude_none=True)


def decode(text: str | bytes) -> Allow | Deny:
    """Parse a decision; raise `pydantic.ValidationError` if it is invalid."""
    return decision_adapter.validate_json(text)
