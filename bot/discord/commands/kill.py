"""/kill: end Claude's process in a thread."""

import lightbulb

from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD
from bot.discord.people import person
from bot.errors import NotDone
from bot.render.queue_notes import held_sentence
from bot.text.escape import one_line
from bot.text.truncate import truncate

MAX_SUGGESTIONS = 25
loader = lightbulb.Loader()


async def suggest_threads(
    context: lightbulb.AutocompleteContext[str], conversations: Conversations = lightbulb.di.INJECTED
) -> None:
    """Suggest the threads with a running process, in projects where this person may talk."""
    who = person(context.interaction.user, context.interaction.member)
    typed = str(context.focused.value or "").casefold()
    labels = {
        truncate(one_line(f"{each.project.name}: {each.title}"), 100): str(each.thread)
        for each in (conversation.status() for conversation in conversations.awake())
        if each.stoppable and who.among(each.project.talk)
    }
    await context.respond({label: id_ for label, id_ in labels.items() if typed in label.casefold()})


@loader.command
class KillCommand(
    lightbulb.SlashCommand,
    name="kill",
    description="End Claude's process, here or in another thread. The session is kept",
    contexts=GUILD,
):
    session = lightbulb.string(
        "session", "Thread whose process to end; this one by default", default=None, autocomplete=suggest_threads
    )

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations) -> None:
        thread = str(self.session or int(context.channel_id))
        conversation = conversations.known(int(thread)) if thread.isascii() and thread.isdecimal() else None
        may_talk = conversation is not None and person(context.user, context.member).among(
            conversation.status().project.talk
        )
        if conversation is None or not may_talk:
            raise NotDone("No such session is running. Use `/sessions` to see which ones are.")
        await context.defer(ephemeral=True)
        who = context.member.display_name if context.member else context.user.username
        started = conversation.status().process is not None
        ended = await conversation.suspend(f"ended by {who}", context.interaction.created_at.timestamp())
        sentence = "Nothing is running there."
        if ended:
            outcome = "The process was ended." if started else "Stopped before Claude started."
            on_hold = held_sentence(len(conversation.status().held))
            sentence = f"{outcome}{on_hold} The session is kept: send a message to continue."
        await context.respond(f"<#{conversation.id}>: {sentence}")
