"""/resume: continue an earlier session of the project."""

import asyncio
import time

import lightbulb

from bot.config import Project
from bot.discord.commands.access import GUILD, Refused
from bot.discord.commands.autocomplete import MAX_SUGGESTIONS, project_for_suggestions
from bot.discord.commands.command_store import SessionRecords
from bot.discord.project_lookup import ProjectLookup
from bot.discord.threads import Threads
from bot.refusals import NO_PROJECT
from bot.render.replies.resume import label, resume_reply
from bot.transcript.session_history import EarlierSession, SessionHistory, SessionMessage

INJECTED = lightbulb.di.INJECTED
loader = lightbulb.Loader()
NO_SUCH_SESSION = "There is no such session in this project. Choose one from the list that appears as you type."


async def _suggest_sessions(
    context: lightbulb.AutocompleteContext[str],
    lookup: ProjectLookup = INJECTED,
    history: SessionHistory = INJECTED,
) -> None:
    project = await project_for_suggestions(context.interaction, lookup)
    if project is None:
        await context.respond([])
        return
    typed = str(context.focused.value).casefold()
    found = await asyncio.to_thread(history.of, project.folder)
    matching = [each for each in found if typed in each.words.casefold() or typed in each.session]
    now = time.time()
    await context.respond([(label(each, now), each.session) for each in matching[:MAX_SUGGESTIONS]])


@loader.command
class ResumeCommand(
    lightbulb.SlashCommand,
    name="resume",
    description="Resume an earlier session of this project, including one from a terminal",
    contexts=GUILD,
):
    session = lightbulb.string("session", "First words of the session", autocomplete=_suggest_sessions)

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
        earlier = await self._chosen_session(project, history)
        if earlier is None:
            await context.respond(NO_SUCH_SESSION)
            return
        owner = sessions.conversation_of_session(earlier.session)
        if owner is not None and owner.id != channel:
            await context.respond(f"That session belongs to <#{owner.id}>. Write there, or use `/fork` there.")
            return
        conversation = await threads.conversation_at(channel, earlier.words)
        await conversation.switch_session(earlier.session)
        passages = await asyncio.to_thread(history.read, project.folder, earlier.session)
        said = [each for each in passages if isinstance(each, SessionMessage)]
        text = resume_reply(earlier, said[-1] if said else None)
        if conversation.id != channel:
            await context.client.rest.create_message(conversation.id, text)
            text = f"<#{conversation.id}>"
        await context.respond(text)

    async def _chosen_session(self, project: Project, history: SessionHistory) -> EarlierSession | None:
        typed = self.session.strip()
        found = await asyncio.to_thread(history.of, project.folder)
        exact = [each for each in found if each.session == typed]
        matching = exact or [each for each in found if typed and typed.casefold() in each.words.casefold()]
        return matching[0] if len(matching) == 1 else None
