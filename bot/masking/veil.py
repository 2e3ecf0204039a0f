"""Secrets on a card that can be allowed: nothing is hidden that could be what runs, or the card says so."""

import re
from dataclasses import dataclass

from bot.masking.cache import Cache
from bot.masking.find import Secret, find
from bot.masking.rules import by_beginning
from bot.masking.text import SHOWN, replaced

_COMMAND_BEGINS = re.compile(r"""(?:\A|[\n;|&({}!`])[ \t"']*\Z""")
_INSIDE_A_WORD = re.compile(r"[\w/.~+%-]", re.ASCII)
_BEFORE_IT = frozenset("\"'=: \t,")
_FOR_A_SHELL = re.compile(r"[;|&$()`<>\\]")
_TAKES_APART = re.compile(
    r"base(?:64|32)|b64|xxd|decode|fromhex|unhex|rot13|openssl|eval|printf|\bcut\b|\btr\b|\bsed\b"
)
"""By which a token could be made into something else, and that be run."""
LOOKED_BACK = 100


@dataclass(frozen=True, slots=True)
class Veiled:
    """A text as it may stand on a card."""

    text: str
    shortened: bool = False
    """A token is cut short that can be nothing but a token: `ghp_…[key of 40 characters]`."""
    hides: bool = False
    """Something else is hidden, and says so in its place: whoever decides has not seen all."""


def veil(text: str) -> Veiled:
    """Hide the secrets of a text that somebody decides on; what could be a command stays, or is said to be hidden."""
    return _known(text)


def shorten(text: str) -> str:
    """Cut only those tokens short that can be nothing else."""
    return replaced(text, (each for each in find(text) if _is_only_a_token(text, each)), lambda each: _key(text, each))


def _veil(text: str) -> Veiled:
    secrets = [each for each in find(text) if not _could_run(text, each)]
    tokens = set() if _TAKES_APART.search(text) else {each for each in secrets if _is_only_a_token(text, each)}
    shown = replaced(text, secrets, lambda each: _key(text, each) if each in tokens else _hidden(each))
    return Veiled(shown, shortened=bool(tokens), hides=len(tokens) < len(secrets))


_known = Cache(_veil)


def _key(text: str, secret: Secret) -> str:
    return f"{text[secret.start : secret.start + SHOWN]}…[key of {secret.end - secret.start} characters]"


def _hidden(secret: Secret) -> str:
    return f"[hidden: {secret.end - secret.start:,} characters that look like {secret.kind}]"


def _could_run(text: str, secret: Secret) -> bool:
    """Whether it is more than a word to a shell, and therefore hardly a password: it stays, whatever it is."""
    return secret.kind != "a private key" and _FOR_A_SHELL.search(text, secret.start, secret.end) is not None


def _is_only_a_token(text: str, secret: Secret) -> bool:
    """Whether it is one word that can't be a command, a path or a flag."""
    word = text[secret.start : secret.end]
    if not word.isascii() or by_beginning().fullmatch(word.encode()) is None:
        return False
    before, after = text[max(0, secret.start - LOOKED_BACK) : secret.start], text[secret.end : secret.end + 1]
    if _COMMAND_BEGINS.search(before) or _INSIDE_A_WORD.match(after):
        return False
    return before[-1:] in _BEFORE_IT
