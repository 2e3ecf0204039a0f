"""The requests that the page sends over its socket."""

from typing import Annotated, Literal

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter

from sandbox.discord import Upload


class _PageModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _PageRequest(_PageModel):
    id: int
    """The number that the page gave the request; the reply has the same number."""


class FileContent(_PageModel):
    name: str
    type: str = ""
    content: Base64Bytes

    @property
    def upload(self) -> Upload:
        return Upload(self.name, self.content, self.type or None)


class ChosenEntity(_PageModel):
    """A user, role or channel that was chosen for a command's option."""

    id: int


class _InChannel(_PageRequest):
    channel: int


class _OnMessage(_InChannel):
    message: int


class WriteRequest(_InChannel):
    do: Literal["write"]
    text: str = ""
    files: tuple[FileContent, ...] = ()
    reply_to: int | None = None


class EditRequest(_OnMessage):
    do: Literal["edit"]
    text: str


class DeleteRequest(_OnMessage):
    do: Literal["delete"]


class ReactRequest(_OnMessage):
    do: Literal["react"]
    emoji: str
    on: bool


class TypingRequest(_InChannel):
    do: Literal["typing"]


class ArchiveRequest(_InChannel):
    do: Literal["archive"]
    on: bool


class ClickRequest(_OnMessage):
    do: Literal["click"]
    custom_id: str


class SelectRequest(_OnMessage):
    do: Literal["select"]
    custom_id: str
    values: tuple[str, ...]


class SubmitRequest(_PageRequest):
    do: Literal["submit"]
    modal: int
    values: dict[str, str | list[str]]


class CommandListRequest(_InChannel):
    do: Literal["commands"]


class CommandRequest(_InChannel):
    do: Literal["command"]
    name: str
    options: dict[str, bool | int | float | str | ChosenEntity | FileContent] = {}


class AutocompleteRequest(_InChannel):
    do: Literal["autocomplete"]
    name: str
    option: str
    typed: str


class ContextMenuRequest(_OnMessage):
    do: Literal["context"]
    name: str


PageRequest = Annotated[
    WriteRequest
    | EditRequest
    | DeleteRequest
    | ReactRequest
    | TypingRequest
    | ArchiveRequest
    | ClickRequest
    | SelectRequest
    | SubmitRequest
    | CommandListRequest
    | CommandRequest
    | AutocompleteRequest
    | ContextMenuRequest,
    Field(discriminator="do"),
]
page_request: TypeAdapter[PageRequest] = TypeAdapter(PageRequest)
