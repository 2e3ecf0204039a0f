"""The prompt that a slash command sends to Claude."""

import time

import lightbulb

from bot.conversations.conversation import Conversation
from bot.records import Prompt


def prompt_from(context: lightbulb.Context, conversation: Conversation, text: str) -> Prompt:
    """Return a prompt whose author is the person who used the command."""
    return Prompt(int(context.interaction.id), conversation.id, int(context.user.id), text, time.time())
