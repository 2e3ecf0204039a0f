"""Secrets that pass by: what looks like a key or a token goes to Discord without its secret part.

The rules are those of detect-secrets, as far as they know a secret by its shape. What it tells by a guess (entropy,
a name like `password`) would mask half of any program, and is left out. The original stays on this machine, in the
run's journal.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Protocol

from bot.messages import (
    V2_TEXT_LIMIT,
    AttachedFile,
    Box,
    Button,
    Buttons,
    Component,
    Divider,
    File,
    Message,
    Option,
    Select,
    Text,
)

MASKED = "…[masked]"
SHOWN = 4
"""Characters that stay, so that a person knows which secret it was."""
SHORTEST = 12
"""Shorter finds are names and placeholders, not secrets; it is also less than what stands in their place is long."""
GUESSES = frozenset(
    {
        "Base64HighEntropyString",
        "HexHighEntropyString",
        "IPPublicDetector",
        "KeywordDetector",
        "PrivateKeyDetector",  # it knows the first line only: see KEY_BLOCK
    }
)

# Known by how they begin, so that the first half of one that is being written is masked as well.
BEGINNINGS = re.compile(
    r"\b(?:"
    r"(?:gh[opusr]_|npm_|hf_|(?:sk|rk)_(?:live|test)_|AKIA|ASIA)[A-Za-z0-9]{10,}"
    r"|(?:sk-ant-|sk-proj-|sk-svcacct-|github_pat_|gl(?:pat|rt|dt|cbt)-|xox[abeprs]-|whsec_|AIza|ya29\.|pypi-AgE|dop_v1_"
    r"|SG\.|shpat_|dckr_pat_|eyJ[\w-]{8,}\.eyJ)[\w.\-]{10,}"
    r"|[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{20,}"  # Discord's own
    r")"
)
KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\Z)", re.DOTALL
)
KEY_LINES = re.compile(r"(?:^[A-Za-z0-9+/]{64,76}={0,2}\s*$\n?){3,}", re.MULTILINE)
"""The middle of a key whose beginning stands in the message before."""
WORD = re.compile(r"[\w+/=.~-]+", re.ASCII)
"""What is one word to every shell."""


Part = Text | Buttons | Select | Divider | AttachedFile


class Rule(Protocol):
    def analyze_string(self, string: str) -> Iterator[str]: ...


def mask(text: str) -> str:
    """Give the text with every secret in it cut short; it never becomes longer."""
    return _mask_again(text) if len(text) <= V2_TEXT_LIMIT else _mask(text)


@lru_cache(maxsize=512)
def _mask_again(text: str) -> str:
    """Remember what fits into a message: it is sent again with every edit around it."""
    return _mask(text)


def _mask(text: str) -> str:
    text = KEY_BLOCK.sub(lambda found: found[0][: len("-----BEGIN ")] + MASKED, text)
    text = KEY_LINES.sub(lambda _: MASKED + "\n", text)
    text = BEGINNINGS.sub(lambda found: _short(found[0]), text)
    for secret in sorted(_found(text), key=len, reverse=True):
        text = text.replace(secret, _short(secret))
    return text


@lru_cache(maxsize=512)
def mask_on_card(text: str) -> str:
    """The same where somebody decides on what they read: only single words are cut short, so that no command can hide.

    A key that begins and does not end, or a "password" with a `|` in it, would otherwise take along what runs.
    """
    text = KEY_LINES.sub(lambda _: MASKED + "\n", text)
    text = BEGINNINGS.sub(lambda found: _short(found[0]), text)
    for secret in sorted(filter(WORD.fullmatch, _found(text)), key=len, reverse=True):
        text = text.replace(secret, _short(secret))
    return text


def masked(message: Message) -> Message:
    """Give a message as it may be shown: its words and its files; never what a button stands for."""
    on_card = any(isinstance(component, Box | Text) for component in message.components)
    return replace(
        message,
        text=mask(message.text),
        components=tuple(_component(component) for component in message.components),
        files=tuple(_file(file, mask_on_card if on_card else mask) for file in message.files),
    )


def _short(secret: str) -> str:
    return secret[:SHOWN] + MASKED


def _found(text: str) -> set[str]:
    return {
        secret
        for line in text.splitlines()
        for rule in _rules()
        for secret in rule.analyze_string(line)
        if len(secret) > SHORTEST and MASKED not in secret
    }


@cache
def _rules() -> tuple[Rule, ...]:
    from detect_secrets.core.plugins.util import (  # noqa: PLC0415 - a tenth of a second that a first start can do without
        get_mapping_from_secret_type_to_class,
    )

    kinds: Iterable[Callable[[], Rule]] = get_mapping_from_secret_type_to_class().values()
    return tuple(kind() for kind in kinds if getattr(kind, "__name__", "") not in GUESSES)


def _component(component: Component) -> Component:
    if isinstance(component, Box):
        return replace(component, children=tuple(_part(child) for child in component.children))
    return _part(component)


def _part(component: Part) -> Part:
    match component:
        case Text(markdown):
            return Text(mask_on_card(markdown))
        case Buttons(buttons):
            return Buttons(tuple(_button(button) for button in buttons))
        case Select(options=options):
            return replace(component, options=tuple(_option(option) for option in options))
        case _:
            return component


def _button(button: Button) -> Button:
    return replace(button, label=mask(button.label))


def _option(option: Option) -> Option:
    return replace(option, label=mask(option.label), description=mask(option.description))


def _file(file: File, mask_text: Callable[[str], str]) -> File:
    try:
        text = file.content.decode()
    except UnicodeDecodeError:  # a picture, say
        return file
    return replace(file, content=mask_text(text).encode())
