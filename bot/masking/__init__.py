"""Masks secrets: keys, tokens and passwords are sent to Discord without their secret part.

The original stays on this machine, in the run's journal. On a card that can be allowed, `mask_for_card` does not hide
anything that could be a command, or else says so.
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
