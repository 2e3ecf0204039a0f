"""Changes the model, the effort and the permission mode of one thread."""

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
    "acceptEdits": "edits the project's files without asking, and asks before anything else",
    "plan": "only plans, and changes nothing",
    "dontAsk": "does only what the configuration allows, without asking",
    "auto": "Claude decides by itself what to ask about",
    "bypassPermissions": "never asks before it acts",
}
FROM_NEXT = "from the next message on"
PROJECT_DEFAULT = "the project's"


@dataclass(frozen=True, slots=True)
class ThreadChoices:
    """Applies choices to one thread and records them in the audit log."""

    conversation: Conversation
    own: Choices
    """The thread's choices so far."""
    project: Project
    """The project with its settings for this thread."""
    record: Callable[[Entry], None]
    by: int

    async def model(self, model: str | None) -> str:
        """Change the model, and return the reply; None is the project's."""
        result = await self._choose("model", model)
        name = PROJECT_DEFAULT if model is None else model_name(model)
        if result.refusal:
            return f"Claude rejected the model **{name}**: {result.refusal}"
        return f"Model: **{name}**." if result.applied else f"Model: **{name}**, {FROM_NEXT}."

    async def effort(self, effort: Effort | None) -> str:
        """Change the effort, and return the reply; None is the project's."""
        await self._choose("effort", effort)  # the CLI only reads it when it starts
        return f"Effort: **{effort or PROJECT_DEFAULT}**, {FROM_NEXT}."

    async def mode(self, mode: PermissionMode) -> str:
        """Change the permission mode, and return the reply."""
        if mode in UNGUARDED and not self.project.allow_bypass:
            return NOT_ALLOWED
        result = await self._choose("permission_mode", mode)
        reply = f"Mode: **{mode}** — Claude {MODES[mode]}" if mode != "auto" else f"Mode: **{mode}** — {MODES[mode]}"
        return f"{reply}." if result.applied else f"{reply}, {FROM_NEXT}."

    async def _choose(self, setting: str, chosen: str | None) -> ChoiceResult:
        note = f"{chosen or 'nothing'} for this thread"
        place = self.conversation.id
        self.record(Entry(time.time(), self.project.name, place, setting, "changed", "command", self.by, note=note))
        return await self.conversation.choose(Choices.model_validate(self.own.chosen() | {setting: chosen}))
