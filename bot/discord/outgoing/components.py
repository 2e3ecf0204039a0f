"""Converts messages and modals to hikari's builders."""

from collections.abc import Mapping, Sequence
from typing import Any

import hikari
from hikari import impl

from bot.masking import mask_bytes, mask_file_name, mask_message
from bot.messages import (
    AttachedFile,
    Box,
    Button,
    Buttons,
    Component,
    Divider,
    File,
    Message,
    Modal,
    Select,
    Style,
    Text,
)

_STYLES = {
    Style.PRIMARY: hikari.ButtonStyle.PRIMARY,
    Style.SECONDARY: hikari.ButtonStyle.SECONDARY,
    Style.SUCCESS: hikari.ButtonStyle.SUCCESS,
    Style.DANGER: hikari.ButtonStyle.DANGER,
}


def is_card(message: Message) -> bool:
    """Whether a message needs Discord's Components V2, and so can't have content of its own."""
    return any(not isinstance(component, Buttons | Select) for component in message.components)


def payload(message: Message, *, resend_files: bool = True) -> dict[str, Any]:
    """Give hikari's keyword arguments for sending or editing a message."""
    message = mask_message(message)
    files = {file.name: _bytes(file) for file in message.files}
    arguments: dict[str, Any] = {
        "components": [_built(component, files) for component in message.components],
        "user_mentions": list(message.mentions),
        "role_mentions": list(message.mentioned_roles),
    }
    if is_card(message):
        return arguments  # the components that show the files bring them along
    arguments["content"] = message.text
    if resend_files and files:
        arguments["attachments"] = list(files.values())
    return arguments


def attachment(name: str, text: str) -> hikari.Bytes:
    """Make an attachment from a text."""
    return _bytes(File(mask_file_name(name), mask_bytes(text.encode("utf-8", "replace"))))


def _bytes(file: File) -> hikari.Bytes:
    """Make the file that is sent; its secrets are masked, as every file to Discord is made here."""
    return hikari.Bytes(file.content, file.name)


def _built(component: Component, files: Mapping[str, hikari.Bytes]) -> Any:
    match component:
        case Text(markdown):
            return impl.TextDisplayComponentBuilder(content=markdown)
        case Divider():
            return impl.SeparatorComponentBuilder(divider=True)
        case AttachedFile(name):
            return impl.FileComponentBuilder(file=files[name])
        case Buttons(buttons):
            return _row_of_buttons(buttons)
        case Select():
            return _row_of_select(component)
        case Box(children, accent):
            box = impl.ContainerComponentBuilder(accent_color=hikari.Color(accent.value))
            for child in children:
                box.add_component(_built(child, files))
            return box


def _row_of_buttons(buttons: Sequence[Button]) -> impl.MessageActionRowBuilder:
    row = impl.MessageActionRowBuilder()
    for button in buttons:
        row.add_interactive_button(
            _STYLES[button.style],  # type: ignore[arg-type]  # hikari's Literal of the interactive styles
            button.custom_id,
            label=button.label,
            is_disabled=button.disabled,
        )
    return row


def _row_of_select(select: Select) -> impl.MessageActionRowBuilder:
    row = impl.MessageActionRowBuilder()
    menu = row.add_text_menu(
        select.custom_id,
        placeholder=select.placeholder or hikari.UNDEFINED,
        min_values=select.least,
        max_values=select.most,
        is_disabled=select.disabled,
    )
    for option in select.options:
        menu.add_option(
            option.label,
            option.value,
            description=option.description or hikari.UNDEFINED,
            is_default=option.chosen,
        )
    return row


def modal_rows(modal: Modal) -> list[impl.ModalActionRowBuilder]:
    """Give a modal's inputs, a row each."""
    rows = []
    for field in modal.inputs:
        row = impl.ModalActionRowBuilder()
        row.add_text_input(
            field.custom_id,
            field.label,
            style=hikari.TextInputStyle.SHORT if field.style == "short" else hikari.TextInputStyle.PARAGRAPH,
            placeholder=field.placeholder or hikari.UNDEFINED,
            value=field.value or hikari.UNDEFINED,
            required=field.required,
            max_length=field.most,
        )
        rows.append(row)
    return rows
