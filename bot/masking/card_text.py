"""Secrets on a card that can be allowed: nothing is hidden that could be what runs, or the card says so."""

import re
from dataclasses import dataclass

from bot.masking.cache import Cache
from bot.masking.detection import Secret, find
from bot.masking.rules import by_beginning
from bot.masking.text import SHOWN, replaced

_COMMAND_BEGINS = re.compile(r"""(?:\A|[\n;|&({}!`])[ \t"']*\Z""")
_INSIDE_A_WORD = re.compile(r"[\w/.~+%-]", re.ASCII)
_BEFORE_IT = frozenset("\"'=: \t,")
_NAMED = re.compile(
    r"""(?ix)
    (?: (?:token|secret|passw(?:or)?d|pwd|auth|pat|credential|key(?:_?id)?) ["']? [ \t]* (?: :=? | =>? ) [ \t]*
      | : [ \t]* (?:bearer|token|basic|bot) [ \t]+
      | -- [\w-]*? (?:token|secret|passw(?:or)?d|api-?key) [ \t=]
    ) ["']? \Z"""
)
"""What stands before a token and says that it is one: elsewhere, a program's argument may be the name of a script."""
_ASSIGNED = re.compile(r"""(?<![\w-])([A-Za-z_]\w*)=["']?\Z""", re.ASCII)
_FOR_A_SHELL = re.compile(r"[;|&$()`<>\\]")
_TAKES_APART = re.compile(
    r"base(?:64|32)|b64|xxd|decode|fromhex|unhex|rot13|openssl|eval|printf|subst|slice|split|\bIFS\b"
    r"|\b(?:cut|tr|sed|g?awk|perl|python\d?|ruby|node|php|lua|head|tail|dd|fold|rev|grep|read|expr|od|hexdump)\b"
    r"|\$\{[^}\n]{0,80}[:#%/^,@]"  # ${T:4:2}
    r"|\[[^\]\n:]{0,40}:[^\]\n]{0,40}\]"  # T[4:6]
    r"|\.(?:char_?at|sub|g?sub|replace|remove(?:prefix|suffix)|l?strip|partition|translate)\("
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
    """Cut tokens short in a text that has been seen to: none should be left in it."""
    return replaced(text, (each for each in find(text) if _is_one_word(text, each)), lambda each: _key(text, each))


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
    """Whether it can't be a command, a path or a flag: `bash ghp_x` runs a file, and so may `T=ghp_x; $T`."""
    before = text[max(0, secret.start - LOOKED_BACK) : secret.start]
    if not _is_one_word(text, secret) or _NAMED.search(before) is None:
        return False
    assigned = _ASSIGNED.search(before)
    return assigned is None or re.search(rf"\$\{{?!?{assigned[1]}\b", text) is None


def _is_one_word(text: str, secret: Secret) -> bool:
    word = text[secret.start : secret.end]
    if not word.isascii() or by_beginning().fullmatch(word.encode()) is None:
        return False
    before, after = text[max(0, secret.start - LOOKED_BACK) : secret.start], text[secret.end : secret.end + 1]
    if _COMMAND_BEGINS.search(before) or _INSIDE_A_WORD.match(after):
        return False
    return before[-1:] in _BEFORE_IT
