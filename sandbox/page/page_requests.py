"""What a page may ask for, as it comes over the socket."""

from typing import Annotated, Literal

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter

from sandbox.discord import Upload


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Asked(_Read):
    id: int
    """The page's number for it; the answer carries it back."""


class File(_Read):
    name: str
    type: str = ""
    content: Base64Bytes

    @property
    def upload(self) -> Upload:
        return Upload(self.name, self.content, self.type or None)


class Chosen(_Read):
    """Somebody or something that a command's option names."""

    id: int


class _InChannel(_Asked):
    channel: int


class _OnMessage(_InChannel):
    message: int


class Write(_InChannel):
    do: Literal["write"]
    text: str = ""
    files: tuple[File, ...] = ()
    reply_to: int | None = None


class Edit(_OnMessage):
    do: Literal["edit"]
    text: str


class Delete(_OnMessage):
    do: Literal["delete"]


class React(_OnMessage):
    do: Literal["react"]
    emoji: str
    on: bool


class Typing(_InChannel):
    do: Literal["typing"]


class Archive(_InChannel):
    do: Literal["archive"]
    on: bool


class Click(_OnMessage):
    do: Literal["click"]
    custom_id: str


class Select(_OnMessage):
    do: Literal["select"]
    custom_id: str
    values: tuple[str, ...]


class Submit(_Asked):
    do: Literal["submit"]
    modal: int
    values: dict[str, str | list[str]]


class Commands(_InChannel):
    do: Literal["commands"]


class Command(_InChannel):
    do: Literal["command"]
    name: str
    options: dict[str, bool | int | float | str | Chosen | File] = {}


class Autocomplete(_InChannel):
    do: Literal["autocomplete"]
    name: str
    option: str
    typed: str


class Context(_OnMessage):
    do: Literal["context"]
    name: str


Asked = Annotated[
    Write
    | Edit
    | Delete
    | React
    | Typing
    | Archive
    | Click
    | Select
    | Submit
    | Commands
    | Command
    | Autocomplete
    | Context,
    Field(discriminator="do"),
]
asked: TypeAdapter[Asked] = TypeAdapter(Asked)
