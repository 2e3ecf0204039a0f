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

_BUTTON_STYLES = {
    Style.PRIMARY: hikari.ButtonStyle.PRIMARY,
    Style.SECONDARY: hikari.ButtonStyle.SECONDARY,
    Style.SUCCESS: hikari.ButtonStyle.SUCCESS,
    Style.DANGER: hikari.ButtonStyle.DANGER,
}


def is_card(message: Message) -> bool:
    """Check whether a message uses Discord's Components V2; then it can't have `content`."""
    return any(not isinstance(component, Buttons | Select) for component in message.components)


def payload(message: Message, *, resend_files: bool = True) -> dict[str, Any]:
    """Return hikari's keyword arguments for sending or editing a message."""
    message = mask_message(message)
    files = {file.name: _hikari_file(file) for file in message.files}
    arguments: dict[str, Any] = {
        "components": [_component_builder(component, files) for component in message.components],
        "user_mentions": list(message.mentions),
        "role_mentions": list(message.mentioned_roles),
    }
    if is_card(message):
        return arguments  # its file components upload the files
    arguments["content"] = message.text
    if resend_files and files:
        arguments["attachments"] = list(files.values())
    return arguments


def attachment(name: str, text: str) -> hikari.Bytes:
    """Return a text as an attachment."""
    return _hikari_file(File(mask_file_name(name), mask_bytes(text.encode("utf-8", "replace"))))


def _hikari_file(file: File) -> hikari.Bytes:
    """Return a file as hikari sends it; its secrets are already masked."""
    return hikari.Bytes(file.content, file.name)


def _component_builder(component: Component, files: Mapping[str, hikari.Bytes]) -> Any:
    match component:
        case Text(markdown):
            return impl.TextDisplayComponentBuilder(content=markdown)
        case Divider():
            return impl.SeparatorComponentBuilder(divider=True)
        case AttachedFile(name):
            return impl.FileComponentBuilder(file=files[name])
        case Buttons(buttons):
            return _button_row(buttons)
        case Select():
            return _select_row(component)
        case Box(children, accent):
            box = impl.ContainerComponentBuilder(accent_color=hikari.Color(accent.value))
            for child in children:
                box.add_component(_component_builder(child, files))
            return box


def _button_row(buttons: Sequence[Button]) -> impl.MessageActionRowBuilder:
    row = impl.MessageActionRowBuilder()
    for button in buttons:
        row.add_interactive_button(
            _BUTTON_STYLES[button.style],  # type: ignore[arg-type]  # hikari's Literal of the interactive styles
            button.custom_id,
            label=button.label,
            is_disabled=button.disabled,
        )
    return row


def _select_row(select: Select) -> impl.MessageActionRowBuilder:
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
    """Return a row for each input of a modal."""
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
