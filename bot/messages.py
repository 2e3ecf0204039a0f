"""Messages, their components and forms, as the bot wants them to look; independent of any Discord library."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

MESSAGE_LIMIT = 2000
"""Characters in a plain message's text."""
V2_TEXT_LIMIT = 4000
"""Characters in all the `Text` components of one message together."""
V2_COMPONENT_LIMIT = 40
"""Components in one message, including nested ones."""
LABEL_LIMIT = 80
OPTION_LIMIT = 100
CUSTOM_ID_LIMIT = 100
MODAL_TITLE_LIMIT = 45
MODAL_TEXT_LIMIT = 4000


class Style(Enum):
    """A button's colour, named after its meaning."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    SUCCESS = "success"
    DANGER = "danger"


class Accent(Enum):
    """The coloured edge of a `Box`."""

    WAITING = 0xF0B232
    WARNING = 0xDA373C
    ALLOWED = 0x23A55A
    DENIED = 0x80848E
    NEUTRAL = 0x5865F2


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of Discord markdown inside a card."""

    markdown: str


@dataclass(frozen=True, slots=True)
class Button:
    custom_id: str
    label: str
    style: Style = Style.SECONDARY
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    description: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    custom_id: str
    options: tuple[Option, ...]
    placeholder: str = ""
    least: int = 1
    most: int = 1
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Buttons:
    """A row of at most five buttons."""

    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Divider:
    """A thin line."""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """Shows one of the message's files inside a card."""

    name: str


@dataclass(frozen=True, slots=True)
class Box:
    """A framed card with a coloured edge."""

    children: tuple["Text | Buttons | Select | Divider | AttachedFile", ...]
    accent: Accent = Accent.NEUTRAL


Component = Text | Buttons | Select | Divider | AttachedFile | Box


@dataclass(frozen=True, slots=True)
class File:
    """An attachment: its whole content, shown under this name."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it should look.

    `key` names it within its view: the same key is the same message, edited in place.
    A message either has `text` (with buttons below it, if any) or is a card: components with `Text` and `Box`
    (Components V2) and no `text`. A key never changes from one to the other: Discord can't undo the flag.
    """

    key: str
    text: str = ""
    components: tuple[Component, ...] = ()
    files: tuple[File, ...] = ()
    mentions: tuple[int, ...] = ()
    """The users that this message may ping; nobody else named in it is pinged."""
    mentioned_roles: tuple[int, ...] = ()
    """The roles that this message may ping."""
    already_masked: bool = False
    """Its secrets were masked when it was drawn. A person decides on it, so nothing more may be hidden."""


@dataclass(frozen=True, slots=True)
class TextInput:
    custom_id: str
    label: str
    value: str = ""
    placeholder: str = ""
    style: Literal["short", "paragraph"] = "paragraph"
    required: bool = True
    most: int = MODAL_TEXT_LIMIT


@dataclass(frozen=True, slots=True)
class Modal:
    """A form that opens over the chat, with up to five inputs."""

    custom_id: str
    title: str
    inputs: tuple[TextInput, ...]
