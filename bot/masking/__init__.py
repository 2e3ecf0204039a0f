"""Masking of secrets: a key, a token or a password goes to Discord without its secret part.

The original stays on this machine, in the run's journal. On a card that somebody decides on, `mask_for_card` hides
nothing that could be a command, or says so.
"""

from bot.masking.card_text import MaskedText, mask_for_card, shorten_tokens
from bot.masking.detection import find_secrets
from bot.masking.message import mask_file_name, mask_message
from bot.masking.text import MASKED, mask, mask_bytes

__all__ = [
    "MASKED",
    "MaskedText",
    "find_secrets",
    "mask",
    "mask_bytes",
    "mask_file_name",
    "mask_for_card",
    "mask_message",
    "shorten_tokens",
]
