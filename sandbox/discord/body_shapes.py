"""The shape of a body: which JSON stands where. What has another shape is refused before anything else looks at it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from sandbox.discord.errors import Form
from sandbox.discord.fields import Path


class Leaf(Enum):
    TEXT = auto()
    NUMBER = auto()
    TRUTH = auto()
    SNOWFLAKE = auto()
    TEXT_OR_NUMBER = auto()


@dataclass(frozen=True)
class ListOf:
    each: "Shape"


@dataclass
class Object:
    """Fields that are not named here may hold anything: nothing of the sandbox reads them."""

    fields: Mapping[str, "Shape"] = field(default_factory=dict)


Shape = Leaf | ListOf | Object


def refuse_misshapen(value: object, shape: Shape, at: Path = ()) -> None:
    """Refuse a body in which anything is of the wrong kind, naming every such place."""
    form = Form()
    _walk(form, at, value, shape)
    form.check()


def is_snowflake(value: object) -> bool:
    """Whether Discord reads this as an id; `isdigit` alone takes digits that are no numbers, such as a superscript."""
    return not isinstance(value, bool) and (text := str(value)).isascii() and text.isdigit()


def _walk(form: Form, at: Path, value: object, shape: Shape) -> None:
    if value is None:  # the same as absent; what is required is for the limits to say
        return
    match shape:
        case ListOf(each):
            if not isinstance(value, list):
                form.wrong(at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
                return
            for number, inner in enumerate(value):
                if inner is None:
                    form.wrong((*at, number), "BASE_TYPE_REQUIRED", "This field is required")
                _walk(form, (*at, number), inner, each)
        case Object(fields=fields):
            if not isinstance(value, dict):
                form.wrong(at, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
                return
            for name, inner in fields.items():
                _walk(form, (*at, name), value.get(name), inner)
        case Leaf():
            _leaf(form, at, value, shape)


def _leaf(form: Form, at: Path, value: object, leaf: Leaf) -> None:
    number = isinstance(value, int) and not isinstance(value, bool)
    match leaf:
        case Leaf.TEXT if not isinstance(value, str):
            form.wrong(at, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
        case Leaf.TEXT_OR_NUMBER if not isinstance(value, str) and not number:
            form.wrong(at, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
        case Leaf.NUMBER if not number:
            form.wrong(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
        case Leaf.SNOWFLAKE if not is_snowflake(value):
            form.wrong(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
        case Leaf.TRUTH if not isinstance(value, bool):
            form.wrong(at, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
        case _:
            pass


_MEDIA = Object({"url": Leaf.TEXT})
_OPTION = Object({"label": Leaf.TEXT, "value": Leaf.TEXT, "description": Leaf.TEXT, "default": Leaf.TRUTH})
COMPONENT = Object()
COMPONENT.fields = {
    "type": Leaf.NUMBER,
    "id": Leaf.NUMBER,
    "custom_id": Leaf.TEXT,
    "style": Leaf.NUMBER,
    "label": Leaf.TEXT,
    "description": Leaf.TEXT,
    "content": Leaf.TEXT,
    "placeholder": Leaf.TEXT,
    "value": Leaf.TEXT,
    "url": Leaf.TEXT,
    "min_values": Leaf.NUMBER,
    "max_values": Leaf.NUMBER,
    "min_length": Leaf.NUMBER,
    "max_length": Leaf.NUMBER,
    "options": ListOf(_OPTION),
    "file": _MEDIA,
    "media": _MEDIA,
    "items": ListOf(Object({"media": _MEDIA})),
    "components": ListOf(COMPONENT),
    "accessory": COMPONENT,
    "component": COMPONENT,
}
_EMBED = Object(
    {
        "title": Leaf.TEXT,
        "description": Leaf.TEXT,
        "footer": Object({"text": Leaf.TEXT}),
        "author": Object({"name": Leaf.TEXT}),
        "fields": ListOf(Object({"name": Leaf.TEXT, "value": Leaf.TEXT})),
    }
)
_MENTIONS = Object(
    {
        "parse": ListOf(Leaf.TEXT),
        "users": ListOf(Leaf.SNOWFLAKE),
        "roles": ListOf(Leaf.SNOWFLAKE),
        "replied_user": Leaf.TRUTH,
    }
)
MESSAGE = Object(
    {
        "content": Leaf.TEXT,
        "nonce": Leaf.TEXT_OR_NUMBER,
        "flags": Leaf.NUMBER,
        "embeds": ListOf(_EMBED),
        "components": ListOf(COMPONENT),
        "attachments": ListOf(
            Object({"id": Leaf.SNOWFLAKE, "filename": Leaf.TEXT, "description": Leaf.TEXT}),
        ),
        "allowed_mentions": _MENTIONS,
        "message_reference": Object({"message_id": Leaf.SNOWFLAKE, "fail_if_not_exists": Leaf.TRUTH}),
    }
)
MODAL = Object({"custom_id": Leaf.TEXT, "title": Leaf.TEXT, "components": ListOf(COMPONENT)})
_COMMAND_PART = Object()
_COMMAND_PART.fields = {
    "name": Leaf.TEXT,
    "description": Leaf.TEXT,
    "type": Leaf.NUMBER,
    "required": Leaf.TRUTH,
    "autocomplete": Leaf.TRUTH,
    "choices": ListOf(Object({"name": Leaf.TEXT})),
    "options": ListOf(_COMMAND_PART),
}
COMMAND = _COMMAND_PART
COMMANDS = ListOf(COMMAND)
THREAD = Object({"name": Leaf.TEXT, "auto_archive_duration": Leaf.NUMBER})
