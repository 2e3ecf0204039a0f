"""Runs the action of a button below a queued or failed prompt if the person may talk to Claude."""

import time
from dataclasses import dataclass, replace
from typing import Protocol

from bot.config import Person
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.errors import NotDone
from bot.queue_button_ids import CancelHeld, CancelPrompt, Continue, QueueAction, Resend, Retry, RunHeld, SendNow
from bot.records import Prompt
from bot.refusals import MAY_NOT_TALK

UNKNOWN_CONVERSATION = "The bot no longer knows this conversation. Write a new message instead."
TOO_LATE = "Too late: this is no longer queued."
CONTINUE = "Continue from where you were interrupted."
MOST_AHEAD = 8 * 24 * 3600.0
"""Seconds that a prompt can be scheduled ahead: the longest usage limit resets after a week."""


@dataclass(frozen=True, slots=True)
class QueuePress:
    """A button press from Discord; everything except the person and the channel may be forged."""

    action: QueueAction
    person: Person
    name: str
    channel: int
    id: int
    """The interaction's id; a prompt that the press creates gets the same id."""


class PromptRecords(Protocol):
    def prompt(self, prompt: int) -> Prompt | None: ...


async def perform(press: QueuePress, conversations: Conversations, prompts: PromptRecords) -> None:
    """Run the button's action; raises NotDone, whose sentence only this person sees."""
    conversation = await conversations.find(press.channel)
    if conversation is None:
        raise NotDone(UNKNOWN_CONVERSATION)
    if not press.person.among(conversation.status().project.talk):
        raise NotDone(MAY_NOT_TALK)
    if not await _run_action(press, conversation, prompts):
        raise NotDone(TOO_LATE)


async def _run_action(press: QueuePress, conversation: Conversation, prompts: PromptRecords) -> bool:
    """Run the action; return False if it is too late."""
    match press.action:
        case SendNow(prompt):
            return await conversation.run_next(prompt, interrupt_as=press.name)
        case CancelPrompt(prompt):
            return conversation.cancel(prompt)
        case RunHeld():
            await conversation.run_next(*conversation.status().held)
        case CancelHeld():
            conversation.cancel(*conversation.status().held)
        case Resend(number) | Retry(number):
            known = prompts.prompt(number)
            if known is None or known.conversation != conversation.id:
                raise NotDone(UNKNOWN_CONVERSATION)
            await _send_again(known, press, conversation)
        case Continue(_, at):
            after = min(float(at), time.time() + MOST_AHEAD)
            conversation.say(_prompt(conversation, press, CONTINUE, after))
    return True


async def _send_again(known: Prompt, press: QueuePress, conversation: Conversation) -> None:
    prompt = replace(_prompt(conversation, press, known.text), files=known.files)
    conversation.say(prompt)
    if isinstance(press.action, Resend):
        await conversation.run_next(prompt.id, interrupt_as=press.name)


def _prompt(conversation: Conversation, press: QueuePress, text: str, after: float = 0.0) -> Prompt:
    return Prompt(press.id, conversation.id, press.person.id, text, time.time(), after=after)
