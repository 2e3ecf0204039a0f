"""/export: send the conversation as a Markdown file."""

import asyncio

import lightbulb

from bot.conversation_status import Status
from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION
from bot.discord.outgoing.components import attachment
from bot.render.replies.export import export
from bot.transcript.session_history import Passage, SessionHistory, SessionMessage

loader = lightbulb.Loader()
LARGEST = 8 * 1024 * 1024
TRIES = 10
PAUSE = 0.2


async def written(history: SessionHistory, status: Status, session: str) -> list[Passage]:
    """Read a session; the CLI writes the end of a turn into its file a moment after it has told it to us."""
    answer = status.last_answer
    for _ in range(TRIES):
        passages = await asyncio.to_thread(history.read, status.project.folder, session)
        if not answer or any(isinstance(each, SessionMessage) and answer in each.text for each in passages):
            break
        await asyncio.sleep(PAUSE)
    return passages


@loader.command
class ExportCommand(
    lightbulb.SlashCommand,
    name="export",
    description="Export the whole conversation as a Markdown file",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations, history: SessionHistory) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        status = conversation.status() if conversation else None
        if status is None or status.session is None:
            await context.respond(NO_CONVERSATION)
            return
        passages = await written(history, status, status.session)
        if not passages:
            await context.respond("There is nothing to export: Claude's file for this session is gone.")
            return
        text = export(status.title, passages)
        if (length := len(text.encode())) > LARGEST:
            await context.respond(f"The conversation is too long for Discord: {length / 1e6:.0f} MB.")
            return
        await context.respond(attachment=await asyncio.to_thread(attachment, "conversation.md", text))
