"""/settings: show the settings and where each comes from, or change one."""

import logging
import time
from typing import get_args

import lightbulb

from bot.audit_log import Entry
from bot.config import Choices, Effort, Isolation, Mention, People, PermissionMode, Person, Project, Style
from bot.conversations.conversations import Conversations
from bot.discord.commands.access import GUILD
from bot.discord.commands.command_store import SettingRecords
from bot.discord.people import person
from bot.discord.project_lookup import ProjectLookup
from bot.errors import NotDone
from bot.projects import setting_changes
from bot.projects.projects import Projects, SettingLayer
from bot.records import ConversationRecord
from bot.refusals import MAY_NOT_DECIDE, MAY_NOT_TALK, NO_PROJECT, OWNERS_ONLY
from bot.render.replies.settings import LAYERS, format_value, settings_reply

REFUSALS: dict[setting_changes.Right, str] = {"talk": MAY_NOT_TALK, "decide": MAY_NOT_DECIDE, "own": OWNERS_ONLY}
SUGGESTED_VALUES: dict[str, tuple[str, ...]] = {
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


async def suggest_values(context: lightbulb.AutocompleteContext[str]) -> None:
    """Suggest values for the chosen setting."""
    setting = context.get_option("setting")
    possible = SUGGESTED_VALUES.get(str(setting.value) if setting else "", ())
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
        "value", "New value; leave it out to reset the setting", default=None, autocomplete=suggest_values
    )
    layer = lightbulb.string(
        "for",
        "Where it applies; in a thread, that thread by default",
        default=None,
        choices=[lightbulb.Choice(words, layer) for layer, words in LAYERS.items()],
    )

    @lightbulb.invoke
    async def invoke(
        self,
        context: lightbulb.Context,
        lookup: ProjectLookup,
        projects: Projects,
        records: SettingRecords,
        conversations: Conversations,
    ) -> None:
        channel = int(context.channel_id)
        project = await lookup.project_at(channel)
        if project is None:
            raise NotDone(NO_PROJECT)
        record = records.conversation(channel)
        if self.setting is None:
            await context.respond(_settings_page(projects, project, record), ephemeral=True)
            return
        layer = _chosen_layer(self.layer, record)
        if self.setting == "startup" and layer == "threads":
            raise NotDone("You can't set `startup` for all threads at once. Choose this thread or the project.")
        _check_right(person(context.user, context.member), self.setting, layer, project, projects.settings.owners)
        if layer == "thread":
            conversation = await conversations.find(channel)
            if conversation is None:
                raise NotDone("There is no conversation here. Under `for`, choose the project or its threads.")
            changed = self._with_change(_own_choices(records.conversation(channel)), project, projects)
            await conversation.choose(changed)
        else:
            changed = self._with_change(projects.chosen(project.name, layer), project, projects)
            projects.choose(project.name, layer, changed)
            await conversations.settings_changed()
        chosen = format_value(getattr(changed, self.setting))
        by, note = int(context.user.id), f"{chosen} for {LAYERS[layer]}"
        records.record(Entry(time.time(), project.name, channel, self.setting, "changed", "command", by, note=note))
        log.info("%s changed %s in %s, for %s.", context.user.id, self.setting, project.name, LAYERS[layer])
        await context.respond(f"`{self.setting}` for {LAYERS[layer]}: **{chosen}**")

    def _with_change(self, layer: Choices, project: Project, projects: Projects) -> Choices:
        return setting_changes.changed(
            layer, str(self.setting), self.value, project, projects.settings, reaches=projects.reaches
        )


def _own_choices(record: ConversationRecord | None) -> Choices:
    return record.own if record else Choices()


def _settings_page(projects: Projects, project: Project, record: ConversationRecord | None) -> str:
    shown = project if record else project.at(Choices())
    origins = {name: projects.origin(record, project.name, name) for name in setting_changes.NAMES}
    return settings_reply(shown, origins, in_thread=record is not None)


def _chosen_layer(named: str | None, record: ConversationRecord | None) -> SettingLayer:
    for layer in LAYERS:
        if named == layer:
            return layer
    return "thread" if record else "project"


def _check_right(who: Person, setting: str, layer: SettingLayer, project: Project, owners: People) -> None:
    needed = setting_changes.right(setting, layer, second_person=bool(project.decisions.second_person))
    people = {"talk": project.talk, "decide": project.decide, "own": owners}[needed]
    if not who.among(people):
        raise NotDone(REFUSALS[needed])
