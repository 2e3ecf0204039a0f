"""Discord's limits on application commands."""

import re

from sandbox.discord.errors import FormErrors
from sandbox.discord.state.entities import Json
from sandbox.discord.validation.body_shapes import COMMAND, COMMANDS, refuse_misshapen
from sandbox.discord.validation.fields import Path, items, text

CHAT, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUB_COMMAND, SUB_GROUP = 1, 2
_NAME = re.compile(r"^[-_'\w\u0900-\u097f\u0e00-\u0e7f]{1,32}$")


def check_commands(commands: object) -> list[Json]:
    """Refuse a set of commands if Discord would refuse any of them."""
    refuse_misshapen(commands, COMMANDS)
    form = FormErrors()
    found = items(form, (), commands, most=110)
    seen: set[tuple[int, str]] = set()
    for number, command in enumerate(found):
        _check_command(form, (number,), command)
        key = (command.get("type") or CHAT, str(command.get("name")))
        if key in seen:
            form.wrong((number,), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
        seen.add(key)
    form.check()
    return found


def check_command(command: Json) -> None:
    refuse_misshapen(command, COMMAND)
    form = FormErrors()
    _check_command(form, (), command)
    form.check()


def _check_command(form: FormErrors, at: Path, command: Json) -> None:
    kind = command.get("type") or CHAT
    text(form, (*at, "name"), command.get("name"), least=1, most=32, required=True)
    if kind == CHAT:
        _check_name(form, (*at, "name"), command.get("name"))
        text(form, (*at, "description"), command.get("description"), least=1, most=100, required=True)
        _check_options(form, (*at, "options"), command.get("options"))
        if _size(command) > 8000:
            form.wrong(at, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
    elif command.get("description"):
        form.wrong(
            (*at, "description"),
            "APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED",
            "Context menu commands cannot have description",
        )


def _check_name(form: FormErrors, at: Path, name: object) -> None:
    if isinstance(name, str) and name and (not _NAME.match(name) or name != name.lower()):
        form.wrong(at, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")


def _check_options(form: FormErrors, at: Path, options: object) -> None:
    optional_seen = False
    names: set[str] = set()
    for number, option in enumerate(items(form, at, options, most=25)):
        where = (*at, number)
        text(form, (*where, "name"), option.get("name"), least=1, most=32, required=True)
        _check_name(form, (*where, "name"), option.get("name"))
        text(form, (*where, "description"), option.get("description"), least=1, most=100, required=True)
        if option.get("name") in names:
            form.wrong(at, "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
        names.add(str(option.get("name")))
        kind = option.get("type")
        if kind in {SUB_COMMAND, SUB_GROUP}:
            _check_options(form, (*where, "options"), option.get("options"))
            continue
        if option.get("required") and optional_seen:
            form.wrong(
                where,
                "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
                "Required options must be placed before non-required options",
            )
        optional_seen = optional_seen or not option.get("required")
        _check_choices(form, where, option)


def _check_choices(form: FormErrors, at: Path, option: Json) -> None:
    choices = items(form, (*at, "choices"), option.get("choices"), most=25)
    if choices and option.get("autocomplete"):
        form.wrong(
            (*at, "autocomplete"),
            "APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES",
            "Autocomplete cannot be used with choices",
        )
    for number, choice in enumerate(choices):
        text(form, (*at, "choices", number, "name"), choice.get("name"), least=1, most=100, required=True)
        if isinstance(choice.get("value"), str):
            text(form, (*at, "choices", number, "value"), choice["value"], least=1, most=100)


def _size(option: Json) -> int:
    size = len(str(option.get("name") or "")) + len(str(option.get("description") or ""))
    for choice in option.get("choices") or ():
        size += len(str(choice.get("name"))) + len(str(choice.get("value")))
    return size + sum(_size(each) for each in option.get("options") or ())
