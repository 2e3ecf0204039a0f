"""/settings: show the settings and where each comes from, or change one."""

import logging
import time
from typing import get_args

import hikari
import lightbulb

from bot.audit_log import Entry
from bot.config import Choices, Effort, Isolation, Mention, PermissionMode, Project, Style
from bot.conversations.conversations import Conversations
from bot.decisions.card_answers import Person
from bot.discord.commands.access import GUILD
from bot.discord.people import person, project_at
from bot.errors import NotDone
from bot.projects import setting_changes
from bot.projects.projects import ProjectLayer, SettingLayer
from bot.records import ConversationRecord
from bot.refusals import MAY_NOT_DECIDE, MAY_NOT_TALK, NO_PROJECT, OWNERS_ONLY
from bot.render.replies.settings import LAYERS, page, value

REFUSALS: dict[setting_changes.Right, str] = {"talk": MAY_NOT_TALK, "decide": MAY_NOT_DECIDE, "own": OWNERS_ONLY}
OFFERED: dict[str, tuple[str, ...]] = {
    "effort": get_args(Effort),
    "permission_mode": get_args(PermissionMode),
    "isolation": get_args(Isolation),
    "style": get_args(Style),
    "mention": get_args(Mention),
    "startup": ("yes", "no"),
    "thinking": ("yes", "no"),
    "model": ("opus", "sonnet", "haiku"),
}

loader = lightbulb.Loader()
log = logging.getLogger(__name__)


async def offered(context: lightbulb.AutocompleteContext[str]) -> None:
    """Offer what is possible for the setting that was chosen."""
    setting = context.get_option("setting")
    possible = OFFERED.get(str(setting.value) if setting else "", ())
    typed = str(context.focused.value or "").casefold()
    await context.respond([each for each in possible if typed in each.casefold()])


@loader.command
class SettingsCommand(
    lightbulb.SlashCommand,
    name="settings",
    description="Show the settings here and where each comes from, or change one",
    contexts=GUILD,
):
    setting = lightbulb.string(
        "setting",
        "Setting to change",
        default=None,
        choices=[lightbulb.Choice(name, name) for name in setting_changes.NAMES],
    )
    value = lightbulb.string(
        "value", "New value; leave it out to reset the setting", default=None, autocomplete=offered
    )
    layer = lightbulb.string(
        "for",
        "Where it applies; in a thread, that thread by default",
        default=None,
        choices=[lightbulb.Choice(words, layer) for layer, words in LAYERS.items()],
    )

    @lightbulb.invoke
    async def invoke(self, context: lightbulb.Context, conversations: Conversations, bot: hikari.GatewayBot) -> None:
        channel = int(context.channel_id)
        project = await project_at(channel, conversations, bot)
        if project is None:
            raise NotDone(NO_PROJECT)
        record = conversations.store.conversation(channel)
        if self.setting is None:
            await context.respond(_page(conversations, project, record), ephemeral=True)
            return
        layer = _layer(self.layer, record)
        if self.setting == "startup" and layer == "threads":
            raise NotDone("Not every thread can start with the bot. Choose this thread or the project.")
        _may(person(context.user, context.member), self.setting, layer, project, conversations)
        if layer == "thread":
            now = await self._for_thread(channel, project, conversations)
        else:
            now = await self._for_project(project, layer, conversations)
        chosen = value(getattr(now, self.setting))
        by, note = int(context.user.id), f"{chosen} for {LAYERS[layer]}"
        conversations.store.record(
            Entry(time.time(), project.name, channel, self.setting, "changed", "command", by, note=note)
        )
        log.info("%s changed %s for %s of %s.", context.user.id, self.setting, LAYERS[layer], project.name)
        await context.respond(f"`{self.setting}` for {LAYERS[layer]}: **{chosen}**")

    async def _for_thread(self, channel: int, project: Project, conversations: Conversations) -> Choices:
        conversation = await conversations.find(channel)
        if conversation is None:
            raise NotDone("There is no conversation here. Choose where it applies: the project or its threads.")
        record = conversations.store.conversation(channel)
        own = self._changed(record.own if record else Choices(), project, conversations)
        await conversation.choose(own)
        return own

    async def _for_project(self, project: Project, layer: ProjectLayer, conversations: Conversations) -> Choices:
        projects = conversations.projects
        now = self._changed(projects.chosen(project.name, layer), project, conversations)
        projects.choose(project.name, layer, now)
        await conversations.settings_changed()
        return now

    def _changed(self, layer: Choices, project: Project, conversations: Conversations) -> Choices:
        settings, reaches = conversations.settings, conversations.projects.reaches
        return setting_changes.changed(layer, str(self.setting), self.value, project, settings, reaches=reaches)


def _page(conversations: Conversations, project: Project, record: ConversationRecord | None) -> str:
    shown = project if record else project.at(Choices())
    origins = {name: conversations.projects.origin(record, project.name, name) for name in setting_changes.NAMES}
    return page(shown, origins, in_thread=record is not None)


def _layer(named: str | None, record: ConversationRecord | None) -> SettingLayer:
    for layer in LAYERS:
        if named == layer:
            return layer
    return "thread" if record else "project"


def _may(who: Person, setting: str, layer: SettingLayer, project: Project, conversations: Conversations) -> None:
    needed = setting_changes.right(setting, layer, second_person=bool(project.decisions.second_person))
    people = {"talk": project.talk, "decide": project.decide, "own": conversations.settings.owners}[needed]
    if not who.among(people):
        raise NotDone(REFUSALS[needed])
