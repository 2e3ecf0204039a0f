"""The commands for earlier sessions: /resume, /fork, /export."""

import asyncio
import time

import lightbulb

from bot.config import Project
from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD, NO_CONVERSATION, Refused
from bot.discord.commands.autocomplete import CHOICES, may_talk, told
from bot.discord.commands.stores import SessionRecords
from bot.discord.outgoing.components import attachment
from bot.discord.project_lookup import ProjectLookup, ThreadRecords
from bot.discord.threads import Threads
from bot.refusals import NO_PROJECT
from bot.render.replies.export import export
from bot.render.replies.sessions import label, resumed
from bot.status import Status
from bot.transcript.session_history import EarlierSession, Passage, SessionHistory, SessionMessage

INJECTED = lightbulb.di.INJECTED

loader = lightbulb.Loader()

LARGEST = 8 * 1024 * 1024
TRIES = 10
PAUSE = 0.2
UNKNOWN = "There is no such session in this project. Choose one from the list that opens while you type."


async def _earlier(
    context: lightbulb.AutocompleteContext[str],
    lookup: ProjectLookup = INJECTED,
    history: SessionHistory = INJECTED,
) -> None:
    project = await may_talk(context.interaction, lookup)
    if project is None:
        await context.respond([])
        return
    typed = str(context.focused.value).casefold()
    found = await asyncio.to_thread(history.of, project.folder)
    fitting = [each for each in found if typed in each.words.casefold() or typed in each.session]
    now = time.time()
    await context.respond([(label(each, now), each.session) for each in fitting[:CHOICES]])


@loader.command
class ResumeCommand(
    lightbulb.SlashCommand,
    name="resume",
    description="Resume an earlier session of this project, including one from a terminal",
    contexts=GUILD,
):
    session = lightbulb.string("session", "First words of the session", autocomplete=_earlier)

    @lightbulb.invoke
    async def invoke(
        self,
        context: lightbulb.Context,
        lookup: ProjectLookup,
        sessions: SessionRecords,
        threads: Threads,
        history: SessionHistory,
    ) -> None:
        await context.defer()
        channel = int(context.channel_id)
        project = await lookup.project_at(channel)
        if project is None:
            raise Refused(NO_PROJECT)
        earlier = await self._chosen(project, history)
        if earlier is None:
            await context.respond(UNKNOWN)
            return
        owner = sessions.conversation_of_session(earlier.session)
        if owner is not None and owner.id != channel:
            await context.respond(f"That session belongs to <#{owner.id}>. Write there, or use `/fork` there.")
            return
        conversation = await threads.conversation_at(channel, earlier.words)
        await conversation.renew(earlier.session)
        passages = await asyncio.to_thread(history.read, project.folder, earlier.session)
        said = [each for each in passages if isinstance(each, SessionMessage)]
        text = resumed(earlier, said[-1] if said else None)
        if conversation.id != channel:
            await context.client.rest.create_message(conversation.id, text)
            text = f"<#{conversation.id}>"
        await context.respond(text)

    async def _chosen(self, project: Project, history: SessionHistory) -> EarlierSession | None:
        typed = self.session.strip()
        found = await asyncio.to_thread(history.of, project.folder)
        exact = [each for each in found if each.session == typed]
        fitting = exact or [each for each in found if typed and typed.casefold() in each.words.casefold()]
        return fitting[0] if len(fitting) == 1 else None


@loader.command
class ForkCommand(
    lightbulb.SlashCommand,
    name="fork",
    description="Continue in a new thread with a copy of this conversation; this one stays as it is",
    contexts=GUILD,
):
    prompt = lightbulb.string("prompt", "What Claude should do there", default=None)

    @lightbulb.invoke
    async def invoke(
        self, context: lightbulb.Context, conversations: Conversations, threads: Threads, records: ThreadRecords
    ) -> None:
        await context.defer()
        conversation = await conversations.find(int(context.channel_id))
        record = records.conversation(int(context.channel_id))
        if conversation is None or record is None or record.session is None:
            await context.respond(NO_CONVERSATION)
            return
        title = self.prompt or f"{record.title} (copy)"
        project = conversation.status().project
        copy = await threads.open_thread(record.parent or record.id, project, title, like=record)
        await context.respond(f"A copy of this conversation continues in <#{copy.id}>.")
        if self.prompt:
            await threads.post_prompt(copy, told(context, copy, self.prompt))


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
