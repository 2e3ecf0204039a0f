"""Responds to the buttons of a worktree's card, and removes or shows the worktree of an archived thread."""

import logging
from dataclasses import dataclass

import hikari

from bot.config import Person
from bot.conversations.conversations import Conversations
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.discord.outgoing.components import attachment, payload
from bot.discord.project_lookup import ThreadRecords
from bot.errors import NotDone
from bot.message_names import WORKTREE
from bot.messages import Message
from bot.projects.projects import Projects
from bot.projects.worktrees import Worktrees, WorktreeStatus, pull_request
from bot.refusals import MAY_NOT_DECIDE
from bot.render.replies import worktree as cards

GONE = "This worktree no longer exists."
STOPPED = "the worktree is being discarded"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorktreeCards:
    bot: hikari.GatewayBot
    conversations: Conversations
    projects: Projects
    worktrees: Worktrees
    threads: ThreadRecords

    async def answer(self, interaction: ReceivedInteraction) -> None:
        """Respond to a button of a worktree's card."""
        press = cards.parse_custom_id(interaction.custom_id)
        if press is None:
            raise NotDone(UNKNOWN_BUTTON)
        await interaction.acknowledge()
        drawn = await self._handle_press(interaction, *press)
        if drawn is not None:
            await interaction.update(**payload(drawn))

    async def archived(self, thread: int) -> None:
        """Remove a clean worktree, or ask what to do with one that has uncommitted changes."""
        try:
            state = await self.worktrees.tidy(thread)
        except NotDone as error:
            log.warning("The worktree of thread %s could not be cleaned up: %s", thread, error)
            return
        channel = await self.conversations.channel(thread)
        if state is None or channel is None or state.worktree.spared == state.mark:
            return
        channel.show(WORKTREE.of(f"{thread}-{state.mark}"), lambda: [cards.worktree_card(state, archived=True)])

    async def _handle_press(
        self, interaction: ReceivedInteraction, verb: str, conversation: int, mark: str
    ) -> Message | None:
        if conversation != interaction.channel:
            raise NotDone(GONE)
        self._check_may_decide(interaction.person, conversation)
        state = await self.worktrees.state(conversation)
        if state is None:
            raise NotDone(GONE)
        if verb == "request":
            text = pull_request(state, self._title(conversation))
            await interaction.raw.execute(attachment=attachment("pull-request.md", text))
            return None
        return await self._run_action(verb, state, mark)

    async def _run_action(self, verb: str, state: WorktreeStatus, mark: str) -> Message:
        """Run the button's action and draw the result."""
        conversation = state.worktree.conversation
        match verb:
            case "commit" | "tuck":
                return await self._commit(state, archive=verb == "tuck")
            case "merge":
                note = await self.worktrees.merge(conversation)
                return cards.worktree_card(await self._refresh(state), f"✓ {note}")
            case "discard":
                return cards.discard_confirmation(state)
            case "yes":
                return await self._discard(state, mark)
            case "keep":
                self.worktrees.spare(conversation, state.mark)
                await self._archive(conversation)
                return cards.finished_card(state, f"Kept as it is, in `{state.worktree.path}`.")
            case _:
                return cards.worktree_card(state)

    async def _commit(self, state: WorktreeStatus, *, archive: bool) -> Message:
        conversation = state.worktree.conversation
        done = await self.worktrees.commit(conversation, self._title(conversation))
        after = await self._refresh(state)
        if not archive:
            return cards.worktree_card(after, f"✓ Committed {done}")
        left = await self.worktrees.tidy(conversation)
        await self._archive(conversation)
        where = "the folder was kept for its ignored files" if left else "the folder was removed"
        return cards.finished_card(after, f"Committed {done} on `{state.worktree.branch}`; {where}.")

    async def _discard(self, state: WorktreeStatus, mark: str) -> Message:
        conversation = state.worktree.conversation
        if state.mark != mark:
            return cards.discard_confirmation(state)  # it has changed since the person agreed
        if known := await self.conversations.find(conversation):
            await known.suspend(STOPPED)
        return cards.finished_card(state, await self.worktrees.discard(conversation, mark))

    async def _refresh(self, state: WorktreeStatus) -> WorktreeStatus:
        return await self.worktrees.state(state.worktree.conversation) or state

    async def _archive(self, thread: int) -> None:
        try:
            await self.bot.rest.edit_channel(thread, archived=True)
        except hikari.HikariError as error:
            log.info("Thread %s can't be archived: %s", thread, error)

    def _title(self, conversation: int) -> str:
        record = self.threads.conversation(conversation)
        return record.title if record else "Work of a thread"

    def _check_may_decide(self, who: Person, conversation: int) -> None:
        project = self.projects.in_thread(conversation)
        if project is None or not who.among(project.decide):
            raise NotDone(MAY_NOT_DECIDE)
