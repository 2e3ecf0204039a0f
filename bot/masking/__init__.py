"""Secrets that pass by: what looks like a key, a token or a password goes to Discord without its secret part.

The original stays on this machine, in the run's journal. Where somebody decides on what they read, `veil` hides
nothing that could be a command, or says so.
"""

from bot.masking.card_text import Veiled, shorten, veil
from bot.masking.detection import find
from bot.masking.message import masked, masked_name
from bot.masking.text import MASKED, mask, mask_bytes

__all__ = ["MASKED", "Veiled", "find", "mask", "mask_bytes", "masked", "masked_name", "shorten", "veil"]
