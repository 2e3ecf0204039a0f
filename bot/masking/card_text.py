"""Masks text on a card that can be allowed: anything that could run stays visible, or the card says it is hidden."""

import re
from dataclasses import dataclass

from bot.masking.cache import Cache
from bot.masking.detection import Secret, find_secrets
from bot.masking.secret_rules import known_prefix
from bot.masking.text import SHOWN, replace_secrets

_COMMAND_BEGINS = re.compile(r"""(?:\A|[\n;|&({}!`])[ \t"']*\Z""")
_INSIDE_A_WORD = re.compile(r"[\w/.~+%-]", re.ASCII)
_BEFORE_TOKEN = frozenset("\"'=: \t,")
_TOKEN_NAME = re.compile(
    r"""(?ix)
    (?: (?:token|secret|passw(?:or)?d|pwd|auth|pat|credential|key(?:_?id)?) ["']? [ \t]* (?: :=? | =>? ) [ \t]*
      | : [ \t]* (?:bearer|token|basic|bot) [ \t]+
      | -- [\w-]*? (?:token|secret|passw(?:or)?d|api-?key) [ \t=]
    ) ["']? \Z"""
)
"""Text before a token that identifies it as one; without it, an argument may be the name of a script."""
_ASSIGNED = re.compile(r"""(?<![\w-])([A-Za-z_]\w*)=["']?\Z""", re.ASCII)
_FOR_A_SHELL = re.compile(r"[;|&$()`<>\\]")
_PROCESSES_TEXT = re.compile(
    r"base(?:64|32)|b64|xxd|decode|fromhex|unhex|rot13|openssl|eval|printf|subst|slice|split|\bIFS\b"
    r"|\b(?:cut|tr|sed|g?awk|perl|python\d?|ruby|node|php|lua|head|tail|dd|fold|rev|grep|read|expr|od|hexdump)\b"
    r"|\$\{[^}\n]{0,80}[:#%/^,@]"  # ${T:4:2}
    r"|\[[^\]\n:]{0,40}:[^\]\n]{0,40}\]"  # T[4:6]
    r"|\.(?:char_?at|sub|g?sub|replace|remove(?:prefix|suffix)|l?strip|partition|translate)\("
)
"""Code that could turn a token into something else, which then runs."""
MAX_BEFORE = 100


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text that may be shown on a card."""

    text: str
    shortened: bool = False
    """Whether a text that can only be a token was shortened: `ghp_…[key of 40 characters]`."""
    hides: bool = False
    """Whether other text was replaced by a note, so that whoever decides has not seen everything."""


def mask_for_card(text: str) -> MaskedText:
    """Mask secrets in a text that a person decides on. A possible command stays visible, or a note replaces it."""
    return _cached(text)


def shorten_tokens(text: str) -> str:
    """Shorten tokens in a text that was already masked, in case one is left."""
    return replace_secrets(
        text, (each for each in find_secrets(text) if _is_one_word(text, each)), lambda each: _short_token(text, each)
    )


def _mask_for_card(text: str) -> MaskedText:
    secrets = [each for each in find_secrets(text) if not _could_run(text, each)]
    tokens = set() if _PROCESSES_TEXT.search(text) else {each for each in secrets if _is_only_a_token(text, each)}
    shown = replace_secrets(
        text, secrets, lambda each: _short_token(text, each) if each in tokens else _hidden_note(each)
    )
    return MaskedText(shown, shortened=bool(tokens), hides=len(tokens) < len(secrets))


_cached = Cache(_mask_for_card)


def _short_token(text: str, secret: Secret) -> str:
    return f"{text[secret.start : secret.start + SHOWN]}…[key of {secret.end - secret.start} characters]"


def _hidden_note(secret: Secret) -> str:
    return f"[hidden: {secret.end - secret.start:,} characters that look like {secret.kind}]"


def _could_run(text: str, secret: Secret) -> bool:
    """Check whether a shell would read more than one word. Then it is hardly a password, and stays visible."""
    return secret.kind != "a private key" and _FOR_A_SHELL.search(text, secret.start, secret.end) is not None


def _is_only_a_token(text: str, secret: Secret) -> bool:
    """Check that it can't be a command, path or flag: `bash ghp_x` runs a file, and so may `T=ghp_x; $T`."""
    before = text[max(0, secret.start - MAX_BEFORE) : secret.start]
    if not _is_one_word(text, secret) or _TOKEN_NAME.search(before) is None:
        return False
    assigned = _ASSIGNED.search(before)
    return assigned is None or re.search(rf"\$\{{?!?{assigned[1]}\b", text) is None


def _is_one_word(text: str, secret: Secret) -> bool:
    word = text[secret.start : secret.end]
    if not word.isascii() or known_prefix().fullmatch(word.encode()) is None:
        return False
    before, after = text[max(0, secret.start - MAX_BEFORE) : secret.start], text[secret.end : secret.end + 1]
    if _COMMAND_BEGINS.search(before) or _INSIDE_A_WORD.match(after):
        return False
    return before[-1:] in _BEFORE_TOKEN
