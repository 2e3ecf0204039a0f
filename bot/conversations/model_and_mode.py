"""How Claude works in one thread: the model, the effort and the permission mode that were chosen there."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from bot.audit_log import Entry
from bot.config import UNGUARDED, Choices, Effort, PermissionMode, Project
from bot.conversations.agent import ChoiceResult
from bot.conversations.conversation import Conversation
from bot.projects.setting_changes import NOT_ALLOWED
from bot.render.turns.footer import model_name

MODES: dict[PermissionMode, str] = {
    "default": "asks before it acts",
    "acceptEdits": "edits the project's files without asking, asks for the rest",
    "plan": "only plans, and changes nothing",
    "dontAsk": "does only what the configuration allows, and asks nobody",
    "auto": "Claude judges by itself what to ask about",
    "bypassPermissions": "asks nobody about anything",
}
FROM_NEXT = "from the next message on"
PROJECTS = "the project's"


@dataclass(frozen=True, slots=True)
class ThreadChoices:
    """Chooses for one thread, and puts it on record."""

    conversation: Conversation
    own: Choices
    """What was chosen in the thread before."""
    project: Project
    """The project as it is in the thread."""
    record: Callable[[Entry], None]
    by: int

    async def model(self, model: str | None) -> str:
        """Have this thread use a model; None is the project's."""
        applied = await self._choose("model", model)
        name = PROJECTS if model is None else model_name(model)
        if applied.refusal:
            return f"Claude did not take the model **{name}**: {applied.refusal}"
        return f"Model: **{name}**." if applied.now else f"Model: **{name}**, {FROM_NEXT}."

    async def effort(self, effort: Effort | None) -> str:
        """Have this thread think more, or less; None is the project's."""
        await self._choose("effort", effort)  # the CLI takes it only at its start
        return f"Effort: **{effort or PROJECTS}**, {FROM_NEXT}."

    async def mode(self, mode: PermissionMode) -> str:
        """Have this thread ask about more, or about less."""
        if mode in UNGUARDED and not self.project.allow_bypass:
            return NOT_ALLOWED
        applied = await self._choose("permission_mode", mode)
        told = f"Mode: **{mode}** — Claude {MODES[mode]}" if mode != "auto" else f"Mode: **{mode}** — {MODES[mode]}"
        return f"{told}." if applied.now else f"{told}, {FROM_NEXT}."

    async def _choose(self, setting: str, chosen: str | None) -> ChoiceResult:
        note = f"{chosen or 'nothing'} for this thread"
        place = self.conversation.id
        self.record(Entry(time.time(), self.project.name, place, setting, "changed", "command", self.by, note=note))
        return await self.conversation.choose(Choices.model_validate(self.own.chosen() | {setting: chosen}))
