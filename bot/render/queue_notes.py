"""The notes about the queue: below a queued prompt, about prompts on hold, and about an edit that came too late."""

from bot.messages import Button, Buttons, Message, Style
from bot.queue_button_ids import Drop, DropHeld, Resend, RunHeld, SendNow, custom_id
from bot.records import HELD, Prompt

QUEUED = "-# ⏳ Queued: it runs when Claude is done with what came before."
QUEUED_EDIT = "-# ⏳ Queued, as you edited it: it runs when Claude is done with what came before."
ON_HOLD = "-# ⏸ On hold: it was written before Claude was stopped, and has not run."


def queue_note(prompt: Prompt, now: float, *, edited: bool = False) -> Message:
    """Draw the note below a queued prompt, with the buttons to send it now or to drop it."""
    text = QUEUED_EDIT if edited else QUEUED
    if prompt.after == HELD:
        text = ON_HOLD
    elif prompt.after > now:
        text = f"-# ⏳ “{prompt.text}” runs <t:{prompt.after:.0f}:R>, at <t:{prompt.after:.0f}:t>."
    buttons = (
        Button(custom_id(SendNow(prompt.id)), "Send now", Style.PRIMARY),
        Button(custom_id(Drop(prompt.id)), "Take back"),
    )
    return Message("queued", text, (Buttons(buttons),))


def held_note(conversation: int, count: int) -> Message:
    """Draw the note that says how many prompts are on hold, with the buttons to run or to drop them."""
    buttons = (
        Button(custom_id(RunHeld(conversation)), "Run them", Style.PRIMARY),
        Button(custom_id(DropHeld(conversation)), "Drop them"),
    )
    return Message("held", f"⏸{held_sentence(count)}", (Buttons(buttons),))


def held_sentence(count: int) -> str:
    """Say how many prompts are on hold, as a sentence after another one; empty if there are none."""
    if count > 1:
        return f" {count} queued messages are on hold."
    return " 1 queued message is on hold." if count else ""


def late_edit_note(prompt: int) -> Message:
    """Say that an edit came too late, and offer to send the new version."""
    again = Button(custom_id(Resend(prompt)), "Send the new version", Style.PRIMARY)
    return Message("edit", "-# ✏️ Claude has read your message as it was before the edit.", (Buttons((again,)),))
