"""Somebody presses a button that is no card's: may they, and what comes of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import Person
from bot.queue_actions import Again, Drop, DropHeld, GoOn, Resend, RunHeld, SendNow, Wish
from bot.records import Prompt

GONE = "This conversation is not known here any more."
STRANGER = "You are not among those who may talk to Claude here. The project's owner can add you in the configuration."
RAN = "It has run already."
GO_ON = "Go on from where you were interrupted."
LATEST = 8 * 24 * 3600.0
"""Seconds that something can be put off: the longest limit resets after a week."""


@dataclass(frozen=True, slots=True)
class Wished:
    """A wish as it arrives from Discord: any of it may be forged but the person and the channel."""

    wish: Wish
    person: Person
    name: str
    channel: int
    id: int
    """The press itself: a prompt that comes of it is known by this."""


@dataclass(frozen=True, slots=True)
class Granting:
    conversations: Conversations
    clock: Callable[[], float] = time.time

    async def grant(self, wished: Wished) -> str:
        """Do what is wished; gives a sentence for this person alone if it can't be done."""
        conversation = await self.conversations.find(wished.channel)
        if conversation is None:
            return GONE
        if not wished.person.among(conversation.room.project.talk):
            return STRANGER
        match wished.wish:
            case SendNow(prompt):
                return "" if await conversation.hurry(prompt, wished.name) else RAN
            case Drop(prompt):
                return "" if conversation.unsay(prompt) else RAN
            case RunHeld():
                conversation.run_held()
            case DropHeld():
                conversation.drop_held()
            case Resend(prompt) | Again(prompt):
                return await self._again(conversation, wished, prompt)
            case GoOn(_, at):
                after = min(float(at), self.clock() + LATEST)
                conversation.say(self._prompt(conversation, wished, GO_ON, after))
                conversation.screen.withhold_offers()
        return ""

    async def _again(self, conversation: Conversation, wished: Wished, number: int) -> str:
        known = self.conversations.store.prompt(number)
        if known is None or known.conversation != conversation.record.id:
            return GONE
        prompt = replace(self._prompt(conversation, wished, known.text), files=known.files)
        conversation.forget_edit()
        conversation.say(prompt)
        conversation.screen.withhold_offers()
        if isinstance(wished.wish, Resend):
            await conversation.hurry(prompt.id, wished.name)
        return ""

    def _prompt(self, conversation: Conversation, wished: Wished, text: str, after: float = 0.0) -> Prompt:
        return Prompt(wished.id, conversation.record.id, wished.person.id, text, self.clock(), after=after)
