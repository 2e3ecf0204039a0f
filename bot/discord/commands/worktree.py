"""/worktree: show what an isolated thread has changed; commit, merge or discard it."""

import lightbulb

from bot.discord.commands.access import GUILD
from bot.discord.outgoing.components import payload
from bot.errors import NotDone
from bot.projects.projects import Projects
from bot.projects.worktrees import Worktrees
from bot.render.replies.worktree import worktree_card
from bot.text.code_block import inline_code

NO_WORKTREE = "This thread has no worktree: Claude works in the project's own folder, or hasn't started yet."

loader = lightbulb.Loader()


@loader.command
class WorktreeCommand(
    lightbulb.SlashCommand,
    name="worktree",
    description="Show what this thread has changed in its worktree; commit, merge or discard it",
    contexts=GUILD,
):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, worktrees: Worktrees, projects: Projects) -> None:
        channel = int(context.channel_id)
        if projects.settings.project_of(channel) is not None:
            await context.respond(_orphan_list(worktrees), ephemeral=True)
            return
        await context.defer()
        state = await worktrees.state(channel)
        if state is None:
            raise NotDone(NO_WORKTREE)
        await context.respond(**payload(worktree_card(state)))


def _orphan_list(worktrees: Worktrees) -> str:
    lines = [
        f"- {inline_code(str(orphan.path))}" + (f" on {inline_code(orphan.worktree.branch)}" if orphan.worktree else "")
        for orphan in worktrees.orphans()[:20]
    ]
    if not lines:
        return "Use this command in a thread. There are no worktrees left over from deleted threads."
    return "Worktrees left over from deleted threads, with everything still in them:\n" + "\n".join(lines)
