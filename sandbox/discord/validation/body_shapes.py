"""The JSON types of each request body; a body with a wrong type is refused before anything else is checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from sandbox.discord.errors import FormErrors
from sandbox.discord.validation.fields import Path


class ScalarShape(Enum):
    TEXT = auto()
    NUMBER = auto()
    TRUTH = auto()
    SNOWFLAKE = auto()
    TEXT_OR_NUMBER = auto()


@dataclass(frozen=True)
class ListShape:
    each: "BodyShape"


@dataclass
class ObjectShape:
    """Other fields may hold anything: the sandbox doesn't read them."""

    fields: Mapping[str, "BodyShape"] = field(default_factory=dict)


BodyShape = ScalarShape | ListShape | ObjectShape


def refuse_misshapen(value: object, shape: BodyShape, at: Path = ()) -> None:
    """Refuse a body with wrong types; the error lists all of them."""
    form = FormErrors()
    _walk(form, at, value, shape)
    form.check()


def is_snowflake(value: object) -> bool:
    """Check whether this is an id; `isdigit` alone also accepts superscript digits."""
    return not isinstance(value, bool) and (text := str(value)).isascii() and text.isdigit()


def _walk(form: FormErrors, at: Path, value: object, shape: BodyShape) -> None:
    if value is None:  # the same as absent; required fields are checked with the limits
        return
    match shape:
        case ListShape(each):
            if not isinstance(value, list):
                form.wrong(at, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
                return
            for number, inner in enumerate(value):
                if inner is None:
                    form.wrong((*at, number), "BASE_TYPE_REQUIRED", "This field is required")
                _walk(form, (*at, number), inner, each)
        case ObjectShape(fields=fields):
            if not isinstance(value, dict):
                form.wrong(at, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
                return
            for name, inner in fields.items():
                _walk(form, (*at, name), value.get(name), inner)
        case ScalarShape():
            _leaf(form, at, value, shape)


def _leaf(form: FormErrors, at: Path, value: object, leaf: ScalarShape) -> None:
    number = isinstance(value, int) and not isinstance(value, bool)
    match leaf:
        case ScalarShape.TEXT if not isinstance(value, str):
            form.wrong(at, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
        case ScalarShape.TEXT_OR_NUMBER if not isinstance(value, str) and not number:
            form.wrong(at, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
        case ScalarShape.NUMBER if not number:
            form.wrong(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
        case ScalarShape.SNOWFLAKE if not is_snowflake(value):
            form.wrong(at, "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
        case ScalarShape.TRUTH if not isinstance(value, bool):
            form.wrong(at, "BOOLEAN_TYPE_CONVERT", "Must be either true or false.")
        case _:
            pass


_MEDIA = ObjectShape({"url": ScalarShape.TEXT})
_OPTION = ObjectShape(
    {
        "label": ScalarShape.TEXT,
        "value": ScalarShape.TEXT,
        "description": ScalarShape.TEXT,
        "default": ScalarShape.TRUTH,
    }
)
COMPONENT = ObjectShape()
COMPONENT.fields = {
    "type": ScalarShape.NUMBER,
    "id": ScalarShape.NUMBER,
    "custom_id": ScalarShape.TEXT,
    "style": ScalarShape.NUMBER,
    "label": ScalarShape.TEXT,
    "description": ScalarShape.TEXT,
    "content": ScalarShape.TEXT,
    "placeholder": ScalarShape.TEXT,
    "value": ScalarShape.TEXT,
    "url": ScalarShape.TEXT,
    "min_values": ScalarShape.NUMBER,
    "max_values": ScalarShape.NUMBER,
    "min_length": ScalarShape.NUMBER,
    "max_length": ScalarShape.NUMBER,
    "options": ListShape(_OPTION),
    "file": _MEDIA,
    "media": _MEDIA,
    "items": ListShape(ObjectShape({"media": _MEDIA})),
    "components": ListShape(COMPONENT),
    "accessory": COMPONENT,
    "component": COMPONENT,
}
_EMBED = ObjectShape(
    {
        "title": ScalarShape.TEXT,
        "description": ScalarShape.TEXT,
        "footer": ObjectShape({"text": ScalarShape.TEXT}),
        "author": ObjectShape({"name": ScalarShape.TEXT}),
        "fields": ListShape(ObjectShape({"name": ScalarShape.TEXT, "value": ScalarShape.TEXT})),
    }
)
_MENTIONS = ObjectShape(
    {
        "parse": ListShape(ScalarShape.TEXT),
        "users": ListShape(ScalarShape.SNOWFLAKE),
        "roles": ListShape(ScalarShape.SNOWFLAKE),
        "replied_user": ScalarShape.TRUTH,
    }
)
MESSAGE = ObjectShape(
    {
        "content": ScalarShape.TEXT,
        "nonce": ScalarShape.TEXT_OR_NUMBER,
        "flags": ScalarShape.NUMBER,
        "embeds": ListShape(_EMBED),
        "components": ListShape(COMPONENT),
        "attachments": ListShape(
            ObjectShape({"id": ScalarShape.SNOWFLAKE, "filename": ScalarShape.TEXT, "description": ScalarShape.TEXT}),
        ),
        "allowed_mentions": _MENTIONS,
        "message_reference": ObjectShape(
            {"message_id": ScalarShape.SNOWFLAKE, "fail_if_not_exists": ScalarShape.TRUTH}
        ),
    }
)
MODAL = ObjectShape({"custom_id": ScalarShape.TEXT, "title": ScalarShape.TEXT, "components": ListShape(COMPONENT)})
_COMMAND_PART = ObjectShape()
_COMMAND_PART.fields = {
    "name": ScalarShape.TEXT,
    "description": ScalarShape.TEXT,
    "type": ScalarShape.NUMBER,
    "required": ScalarShape.TRUTH,
    "autocomplete": ScalarShape.TRUTH,
    "choices": ListShape(ObjectShape({"name": ScalarShape.TEXT})),
    "options": ListShape(_COMMAND_PART),
}
COMMAND = _COMMAND_PART
COMMANDS = ListShape(COMMAND)
THREAD = ObjectShape({"name": ScalarShape.TEXT, "auto_archive_duration": ScalarShape.NUMBER})
