"""What `permission_mcp` asks the bot over HTTP, and what the bot answers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

ASK_ROUTE = "/ask"
"""POST a Request as JSON; the response is a Decision, and comes when a person has decided."""

FILE_ROUTE = "/file"
"""POST a FileWish as JSON; the response is a FileAnswer, and comes when the file has been sent or refused."""

ADDRESS_ENV = "CLAUDE_DISCORD_ADDRESS_FILE"
"""The file in which the running bot writes its address: a restarted bot may have another port."""
TOKEN_ENV = "CLAUDE_DISCORD_RUN_TOKEN"  # noqa: S105 - the variable's name, not a token
"""The run's own token: whoever has it can ask for this conversation, and decide nothing."""
PATIENCE_ENV = "CLAUDE_DISCORD_PATIENCE"
"""Seconds to keep asking while no bot answers, before Claude is told no."""

SERVER_NAME = "discord"
TOOL_NAME = "approve"
FILE_TOOL = "send_file"
MAX_BODY = 32 * 1024 * 1024  # a Write carries the whole file


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, populate_by_name=True)


class Request(_Body):
    """Claude wants to use a tool: the arguments of the CLI's call, unchanged."""

    tool_name: str
    input: dict[str, Any]
    tool_use_id: str


class Allow(_Body):
    """Run it, with exactly this input."""

    behavior: Literal["allow"] = "allow"
    updated_input: dict[str, Any] = Field(alias="updatedInput")


class Deny(_Body):
    """Don't run it; Claude reads the message word for word."""

    behavior: Literal["deny"] = "deny"
    message: str
    interrupt: bool = False


class FileRequest(_Body):
    """Claude wants to send a file to the people in the conversation."""

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
    """Write the JSON that the CLI expects from its permission tool."""
    return decision.model_dump_json(by_alias=True, exclude_none=True)


def decode(text: str | bytes) -> Allow | Deny:
    """Read a decision, or raise `pydantic.ValidationError`."""
    return decision_adapter.validate_json(text)
