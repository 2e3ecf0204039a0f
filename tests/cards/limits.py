"""Discord's limits on one message, as a list of what breaks them."""

from collections.abc import Iterator
from itertools import chain

from bot.messages import (
    CUSTOM_ID_LIMIT,
    LABEL_LIMIT,
    MODAL_TEXT_LIMIT,
    MODAL_TITLE_LIMIT,
    OPTION_LIMIT,
    V2_COMPONENT_LIMIT,
    V2_TEXT_LIMIT,
    AttachedFile,
    Box,
    Button,
    Buttons,
    Component,
    Message,
    Modal,
    Select,
    Text,
)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def texts(message: Message) -> str:
    return "\n".join(part.markdown for part in flat(message.components) if isinstance(part, Text))


def flat(components: tuple[Component, ...]) -> Iterator[Component]:
    for component in components:
        yield component
        if isinstance(component, Box):
            yield from flat(component.children)


def buttons(message: Message) -> dict[str, Button]:
    rows = [part for part in flat(message.components) if isinstance(part, Buttons)]
    return {button.label: button for row in rows for button in row.buttons}


def selects(message: Message) -> list[Select]:
    return [part for part in flat(message.components) if isinstance(part, Select)]


def broken(message: Message) -> list[str]:
    return list(chain(_broken_message(message), *(_broken(part) for part in flat(message.components))))


def broken_modal(modal: Modal) -> Iterator[str]:
    if not 1 <= utf16(modal.title) <= MODAL_TITLE_LIMIT:
        yield f"modal title of {utf16(modal.title)}"
    if not 1 <= len(modal.inputs) <= 5:
        yield f"{len(modal.inputs)} inputs"
    for field in modal.inputs:
        if utf16(field.value) > MODAL_TEXT_LIMIT or utf16(field.placeholder) > 100 or not 1 <= utf16(field.label) <= 45:
            yield f"input {field.custom_id}"
    ids = [modal.custom_id, *(field.custom_id for field in modal.inputs)]
    if any(not 1 <= len(one) <= CUSTOM_ID_LIMIT for one in ids) or len(set(ids)) != len(ids):
        yield f"custom ids {ids}"


def _broken_message(message: Message) -> Iterator[str]:
    parts = list(flat(message.components))
    count = sum(1 + len(part.buttons) if isinstance(part, Buttons) else 1 + isinstance(part, Select) for part in parts)
    if count > V2_COMPONENT_LIMIT:
        yield f"{count} components"
    if (total := sum(utf16(part.markdown) for part in parts if isinstance(part, Text))) > V2_TEXT_LIMIT:
        yield f"{total} characters"
    ids = [button.custom_id for part in parts if isinstance(part, Buttons) for button in part.buttons]
    ids += [part.custom_id for part in parts if isinstance(part, Select)]
    if len(ids) != len(set(ids)) or any(not 1 <= len(one) <= CUSTOM_ID_LIMIT for one in ids):
        yield f"custom ids {ids}"
    names = [file.name for file in message.files]
    if len(names) > 10 or len(names) != len(set(names)):
        yield f"files {names}"
    if sorted(names) != sorted(part.name for part in parts if isinstance(part, AttachedFile)):
        yield "files that are not shown, or shown and not there"
    if any(len(file.content) > 10 * 1024 * 1024 for file in message.files):
        yield "a file over 10 MiB"
    if message.text:
        yield "text beside a card"


def _broken(part: Component) -> Iterator[str]:
    match part:
        case Text(markdown=markdown) if not markdown.strip():
            yield "an empty text"
        case Buttons(buttons=row):
            if not 1 <= len(row) <= 5:
                yield f"{len(row)} buttons in a row"
            yield from (f"label {b.label!r}" for b in row if not 1 <= utf16(b.label.strip()) <= LABEL_LIMIT)
        case Select(options=options) as select:
            values = [option.value for option in options]
            if not 1 <= len(options) <= 25 or len(set(values)) != len(values):
                yield f"options {values}"
            if not 0 <= select.least <= select.most <= len(options) or utf16(select.placeholder) > 150:
                yield "a select out of bounds"
            if sum(option.chosen for option in options) > select.most:
                yield "more chosen than can be"
            for option in options:
                if not 1 <= utf16(option.label.strip()) <= OPTION_LIMIT or utf16(option.description) > OPTION_LIMIT:
                    yield f"option {option.label!r}"
