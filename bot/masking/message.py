"""Masks a whole message: its text, components and files."""

import re
from dataclasses import replace

from bot.masking.text import mask, mask_bytes
from bot.messages import AttachedFile, Box, Button, Buttons, Component, Divider, File, Message, Option, Select, Text

_NO_NAME = re.compile(r"[^\w.\-]+")
Part = Text | Buttons | Select | Divider | AttachedFile


def mask_message(message: Message) -> Message:
    """Mask all visible text of a message, but never a custom_id or an option's value.

    A card that a person decides on was already masked when it was drawn.
    """
    if message.already_masked:
        return message
    return replace(
        message,
        text=mask(message.text),
        components=tuple(_component(component) for component in message.components),
        files=tuple(File(mask_file_name(file.name), mask_bytes(file.content)) for file in message.files),
    )


def mask_file_name(name: str) -> str:
    """Mask a file name, and only use characters that Discord keeps in a name."""
    shown = mask(name)
    return name if shown == name else _NO_NAME.sub("_", shown)


def _component(component: Component) -> Component:
    if isinstance(component, Box):
        return replace(component, children=tuple(_part(child) for child in component.children))
    return _part(component)


def _part(component: Part) -> Part:
    match component:
        case Text(markdown):
            return Text(mask(markdown))
        case AttachedFile(name):
            return AttachedFile(mask_file_name(name))
        case Buttons(buttons):
            return Buttons(tuple(_button(button) for button in buttons))
        case Select(options=options, placeholder=placeholder):
            return replace(component, options=tuple(map(_option, options)), placeholder=mask(placeholder))
        case Divider():
            return component


def _button(button: Button) -> Button:
    return replace(button, label=mask(button.label))


def _option(option: Option) -> Option:
    return replace(option, label=mask(option.label), description=mask(option.description))
