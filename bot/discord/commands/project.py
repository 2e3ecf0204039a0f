"""/project: add, list or remove projects."""

import logging
import time
from pathlib import Path

import hikari
import lightbulb

from bot.audit_log import Entry, Outcome
from bot.config import Person
from bot.config.values import is_folder
from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD
from bot.discord.commands.command_store import AuditLogWriter
from bot.discord.people import person
from bot.errors import NotDone
from bot.projects.projects import AddedProject, Projects
from bot.refusals import OWNERS_ONLY
from bot.text.code_block import inline_code
from bot.text.escape import escape_line

MAX_SUGGESTIONS = 25
NO_CHANNEL = "I can't create a channel. Give me the *Manage Channels* permission, or choose an existing channel."

loader = lightbulb.Loader()
log = logging.getLogger(__name__)
group = lightbulb.Group("project", "Add, list or remove projects: folders that Claude works in", contexts=GUILD)


async def suggest_folders(
    context: lightbulb.AutocompleteContext[str], projects: Projects = lightbulb.di.INJECTED
) -> None:
    """Suggest the folders under the roots; only to owners."""
    interaction = context.interaction
    if not person(interaction.user, interaction.member).among(projects.settings.owners):
        await context.respond([])
        return
    typed = str(context.focused.value or "").casefold()
    taken = {project.folder for project in projects.settings.projects.values()}
    found = [
        str(folder)
        for root in projects.settings.roots
        for folder in _folders_in(root)
        if folder.is_dir() and not folder.name.startswith(".") and folder not in taken
    ]
    await context.respond([each for each in found if typed in each.casefold() and len(each) <= 100][:MAX_SUGGESTIONS])


def _folders_in(root: Path) -> list[Path]:
    """List a root's folders; none if it is gone or can't be read: the other roots are still suggested."""
    try:
        return sorted(root.iterdir())
    except OSError:
        return []


async def suggest_removable(
    context: lightbulb.AutocompleteContext[str], projects: Projects = lightbulb.di.INJECTED
) -> None:
    """Suggest the projects that can be removed; only to owners."""
    interaction = context.interaction
    if not person(interaction.user, interaction.member).among(projects.settings.owners):
        await context.respond([])
        return
    typed = str(context.focused.value or "").casefold()
    names = [*(name for name in projects.settings.projects if projects.is_added(name)), *projects.dormant]
    await context.respond([name for name in names if typed in name.casefold()][:MAX_SUGGESTIONS])


@group.register
class ProjectAddCommand(
    lightbulb.SlashCommand, name="add", description="Turn a folder under one of the configured roots into a project"
):
    folder = lightbulb.string(
        "folder", "Path of the folder, absolute or relative to a root", autocomplete=suggest_folders
    )
    name = lightbulb.string("name", "Name of the project; the folder's name by default", default=None, max_length=80)
    channel = lightbulb.channel(
        "channel",
        "Channel of the project; by default this one if it has no project, otherwise a new one",
        default=None,
        channel_types=[hikari.ChannelType.GUILD_TEXT],
    )

    @lightbulb.invoke
    async def invoke(
        self, context: lightbulb.Context, projects: Projects, audit_log: AuditLogWriter, bot: hikari.GatewayBot
    ) -> None:
        who = _require_owner(context, projects)
        folder = _resolve_folder(self.folder, projects.settings.roots)
        name = (self.name or folder.name).strip()
        # Checked before a channel is created: a failure would leave a channel without a project.
        projects.check(AddedProject(name, folder, frozenset(), who.id, time.time()))
        channel = await self._channel(context, projects, bot, name)
        project = projects.add(AddedProject(name, folder, frozenset({channel}), who.id, time.time()))
        audit_log.record(_audit_entry(name, "added", who, channel, str(project.folder)))
        log.info("%s added the project %s in %s.", who.id, project.name, project.folder)
        await context.respond(
            f"**{escape_line(project.name, 80)}** works in {inline_code(str(project.folder))}."
            f" Write in <#{channel}> to start."
        )

    async def _channel(self, context: lightbulb.Context, projects: Projects, bot: hikari.GatewayBot, name: str) -> int:
        if self.channel is not None:
            return int(self.channel.id)
        here = context.interaction.channel
        if here.type is hikari.ChannelType.GUILD_TEXT and projects.settings.project_of(int(here.id)) is None:
            return int(here.id)
        if context.guild_id is None:
            raise NotDone(NO_CHANNEL)
        try:
            return int((await bot.rest.create_guild_text_channel(context.guild_id, name)).id)
        except hikari.ForbiddenError:
            raise NotDone(NO_CHANNEL) from None


@group.register
class ProjectListCommand(lightbulb.SlashCommand, name="list", description="List the projects that you may talk in"):
    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, projects: Projects) -> None:
        who = person(context.user, context.member)
        settings = projects.settings
        lines = [
            f"**{escape_line(name, 80)}** {inline_code(str(project.folder))} · "
            + " ".join(f"<#{channel}>" for channel in sorted(project.channels))
            + (" · added here" if projects.is_added(name) else "")
            for name, project in settings.projects.items()
            if who.among(project.talk) or who.among(settings.owners)
        ]
        if who.among(settings.owners):
            dormant = projects.dormant
            lines += [
                f"-# **{escape_line(name, 80)}** is inactive: {escape_line(why, 200)}" for name, why in dormant.items()
            ]
        await context.respond("\n".join(lines)[:2000] or "There are no projects yet.", ephemeral=True)


@group.register
class ProjectRemoveCommand(
    lightbulb.SlashCommand,
    name="remove",
    description="Remove a project that was added from Discord; its folder is not deleted",
):
    name = lightbulb.string("name", "Project to remove", autocomplete=suggest_removable)

    @lightbulb.invoke
    async def invoke(
        self,
        context: lightbulb.Context,
        projects: Projects,
        conversations: Conversations,
        audit_log: AuditLogWriter,
    ) -> None:
        who = _require_owner(context, projects)
        projects.remove(self.name)
        audit_log.record(_audit_entry(self.name, "removed", who, int(context.channel_id)))
        log.info("%s removed the project %s.", who.id, self.name)
        await context.respond(
            f"**{escape_line(self.name, 80)}** is no longer a project. Its folder and channel were not deleted."
        )
        await conversations.settings_changed()


loader.command(group)


def _require_owner(context: lightbulb.Context, projects: Projects) -> Person:
    who = person(context.user, context.member)
    if not who.among(projects.settings.owners):
        raise NotDone(OWNERS_ONLY)
    return who


def _audit_entry(name: str, outcome: Outcome, who: Person, channel: int, note: str = "") -> Entry:
    return Entry(time.time(), name, channel, "project", outcome, "command", who.id, note=note)


def _resolve_folder(words: str, roots: tuple[Path, ...]) -> Path:
    """Return the folder with this path: relative to one of the roots, or absolute."""
    try:
        path = Path(words.strip().replace("\0", "")).expanduser()
        found = next((root / path for root in roots if is_folder(root / path)), path)
        return found.resolve()
    except (OSError, RuntimeError):  # ~name of an unknown user; symlinks in a circle
        raise NotDone("That is not a valid folder. Check how it is spelled.") from None
