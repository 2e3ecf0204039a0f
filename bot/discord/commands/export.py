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
MAX_BYTES = 8 * 1024 * 1024
TRIES = 10
PAUSE = 0.2


async def read_session(history: SessionHistory, status: Status, session: str) -> list[Passage]:
    """Read a session, waiting for its last answer: the CLI writes it to the file a moment after it sends it to us."""
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
        passages = await read_session(history, status, status.session)
        if not passages:
            await context.respond("Nothing was exported: Claude's file for this session no longer exists.")
            return
        text = export(status.title, passages)
        if (length := len(text.encode())) > MAX_BYTES:
            await context.respond(f"The conversation is {length / 1e6:.0f} MB, too large for Discord.")
            return
        await context.respond(attachment=await asyncio.to_thread(attachment, "conversation.md", text))
