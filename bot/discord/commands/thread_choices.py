"""The model, effort and permission mode of a thread, which /model, /effort and /mode change."""

import lightbulb

from bot.config import Choices
from bot.conversations.conversation import Conversation
from bot.conversations.model_and_mode import ThreadChoices
from bot.discord.commands.command_store import AuditLogWriter
from bot.discord.project_lookup import ThreadRecords

DEFAULT = "default"
"""The choice that resets a thread to the project's setting."""
PROJECT_SETTING = "the project's setting"


def choices_of(
    context: lightbulb.Context, conversation: Conversation, threads: ThreadRecords, audit_log: AuditLogWriter
) -> ThreadChoices:
    record = threads.conversation(conversation.id)
    own, project = record.own if record else Choices(), conversation.status().project
    return ThreadChoices(conversation, own, project, audit_log.record, int(context.user.id))
