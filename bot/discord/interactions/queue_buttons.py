"""Responds to the buttons below a queued or failed prompt: send now, cancel, try again, continue."""

from dataclasses import dataclass

from bot.conversations.conversations import Conversations
from bot.conversations.queue_actions import PromptRecords, QueuePress, perform
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.errors import NotDone
from bot.queue_button_ids import Continue, Retry, parse


@dataclass(frozen=True, slots=True)
class QueueButtons:
    conversations: Conversations
    prompts: PromptRecords

    async def answer(self, interaction: ReceivedInteraction) -> None:
        action = parse(interaction.custom_id)
        if action is None:
            raise NotDone(UNKNOWN_BUTTON)
        press = QueuePress(action, interaction.person, interaction.name, interaction.channel, int(interaction.raw.id))
        await perform(press, self.conversations, self.prompts)
        if isinstance(action, Continue | Retry):
            # An earlier bot may have shown this turn, and this one no longer updates it: remove the buttons here.
            await interaction.update(components=[])
        else:
            await interaction.acknowledge()
