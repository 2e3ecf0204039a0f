"""The notes about the queue: below a queued prompt, about prompts on hold, and about an edit that came too late."""

from bot.messages import Button, Buttons, Message, Style
from bot.queue_button_ids import CancelHeld, CancelPrompt, Resend, RunHeld, SendNow, custom_id
from bot.records import HELD, Prompt

QUEUED = "-# ⏳ Queued: runs when Claude has finished the messages before it."
QUEUED_EDIT = "-# ⏳ Queued with your edit: runs when Claude has finished the messages before it."
ON_HOLD = "-# ⏸ On hold: written before Claude was stopped, and not run yet."


def queue_note(prompt: Prompt, now: float, *, edited: bool = False) -> Message:
    """Draw the note below a queued prompt, with buttons to send it now or cancel it."""
    text = QUEUED_EDIT if edited else QUEUED
    if prompt.after == HELD:
        text = ON_HOLD
    elif prompt.after > now:
        text = f"-# ⏳ “{prompt.text}” runs <t:{prompt.after:.0f}:R>, at <t:{prompt.after:.0f}:t>."
    buttons = (
        Button(custom_id(SendNow(prompt.id)), "Send now", Style.PRIMARY),
        Button(custom_id(CancelPrompt(prompt.id)), "Cancel"),
    )
    return Message("queued", text, (Buttons(buttons),))


def held_note(conversation: int, count: int) -> Message:
    """Draw the note that says how many prompts are on hold, with buttons to run or cancel them."""
    them = "it" if count == 1 else "them"
    buttons = (
        Button(custom_id(RunHeld(conversation)), f"Run {them}", Style.PRIMARY),
        Button(custom_id(CancelHeld(conversation)), f"Cancel {them}"),
    )
    return Message("held", f"⏸{held_sentence(count)}", (Buttons(buttons),))


def held_sentence(count: int) -> str:
    """Return a sentence, to follow another one, about how many prompts are on hold; empty if there are none."""
    if count > 1:
        return f" {count} queued messages are on hold."
    return " 1 queued message is on hold." if count else ""


def late_edit_note(prompt: int) -> Message:
    """Draw the note that an edit came too late, with a button to send the new version."""
    resend = Button(custom_id(Resend(prompt)), "Send the new version", Style.PRIMARY)
    return Message("edit", "-# ✏️ Claude read your message before you edited it.", (Buttons((resend,)),))
