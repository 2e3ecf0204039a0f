"""Runs the action of a button below a queued or failed prompt, if the person may talk to Claude."""

import time
from dataclasses import dataclass, replace
from typing import Protocol

from bot.config import Person
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.errors import NotDone
from bot.queue_button_ids import Continue, Drop, DropHeld, QueueAction, Resend, Retry, RunHeld, SendNow
from bot.records import Prompt
from bot.refusals import MAY_NOT_TALK

GONE = "This conversation is not known here any more."
RAN = "It has run already."
CONTINUE = "Go on from where you were interrupted."
LATEST = 8 * 24 * 3600.0
"""Seconds that a prompt can be scheduled ahead: the longest usage limit resets after a week."""


@dataclass(frozen=True, slots=True)
class QueuePress:
    """A button press from Discord; anything but the person and the channel may be forged."""

    action: QueueAction
    person: Person
    name: str
    channel: int
    id: int
    """The interaction's id, which a prompt made by it gets as its own."""


class PromptRecords(Protocol):
    def prompt(self, prompt: int) -> Prompt | None: ...


async def perform(press: QueuePress, conversations: Conversations, prompts: PromptRecords) -> None:
    """Run the button's action; raises NotDone, whose sentence only this person sees."""
    conversation = await conversations.find(press.channel)
    if conversation is None:
        raise NotDone(GONE)
    if not press.person.among(conversation.status().project.talk):
        raise NotDone(MAY_NOT_TALK)
    if not await _done(press, conversation, prompts):
        raise NotDone(RAN)


async def _done(press: QueuePress, conversation: Conversation, prompts: PromptRecords) -> bool:
    """Run the action; False if it is too late."""
    match press.action:
        case SendNow(prompt):
            return await conversation.hurry(prompt, interrupt_as=press.name)
        case Drop(prompt):
            return conversation.unsay(prompt)
        case RunHeld():
            await conversation.hurry(*conversation.status().held)
        case DropHeld():
            conversation.unsay(*conversation.status().held)
        case Resend(number) | Retry(number):
            known = prompts.prompt(number)
            if known is None or known.conversation != conversation.id:
                raise NotDone(GONE)
            await _repeat(known, press, conversation)
        case Continue(_, at):
            after = min(float(at), time.time() + LATEST)
            conversation.say(_prompt(conversation, press, CONTINUE, after))
    return True


async def _repeat(known: Prompt, press: QueuePress, conversation: Conversation) -> None:
    prompt = replace(_prompt(conversation, press, known.text), files=known.files)
    conversation.say(prompt)
    if isinstance(press.action, Resend):
        await conversation.hurry(prompt.id, interrupt_as=press.name)


def _prompt(conversation: Conversation, press: QueuePress, text: str, after: float = 0.0) -> Prompt:
    return Prompt(press.id, conversation.id, press.person.id, text, time.time(), after=after)
