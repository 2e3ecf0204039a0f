"""The layers of settings: a thread's own, the project's for its threads, the project's; the nearest wins."""

from typing import Annotated

from pydantic import AfterValidator

from bot.config.people import People
from bot.config.values import (
    ArgumentText,
    Effort,
    Folder,
    Isolation,
    Mention,
    PermissionMode,
    Section,
    Style,
    Variables,
)


def _somebody(people: People | None) -> People | None:
    if people is not None and not people:
        raise ValueError("this names nobody; name users or roles, or leave it out")
    return people


class Choices(Section):
    """How Claude works; what is None is left to the layer below, and in the end to the CLI."""

    model: ArgumentText | None = None
    effort: Effort | None = None
    permission_mode: PermissionMode | None = None
    folder: Folder | None = None
    isolation: Isolation | None = None
    """`worktree`: each thread works in a git worktree of its own, on a branch of its own."""
    style: Style | None = None
    """`channel`: one continuous conversation in the channel itself, with no threads."""
    mention: Mention | None = None
    """Whether the channel's line about an ended turn calls the person who asked; `when-needed` if not chosen."""
    thinking: bool | None = None
    """Show what Claude thinks, as spoilers."""
    startup: bool | None = None
    """Start Claude with the bot."""
    system_prompt: ArgumentText | None = None
    """What Claude is told beside its own system prompt."""
    allowed_tools: tuple[ArgumentText, ...] | None = None
    """What may be used without asking, in the CLI's words: `Bash(npm test:*)`."""
    extra_folders: tuple[Folder, ...] | None = None
    """Where Claude may work beside its folder."""
    environment: Variables | None = None
    """Variables for Claude and what it starts; of two layers each variable counts by itself."""
    talk: Annotated[People | None, AfterValidator(_somebody)] = None
    decide: Annotated[People | None, AfterValidator(_somebody)] = None

    def over(self, below: "Choices") -> "Choices":
        """Lay these choices over others: what is chosen here wins."""
        return Choices().model_copy(update=below.chosen() | self.chosen() | self._variables_over(below))

    def chosen(self) -> dict[str, object]:
        """What is chosen here, by name."""
        return {name: value for name in Choices.model_fields if (value := getattr(self, name)) is not None}

    def _variables_over(self, below: "Choices") -> dict[str, object]:
        if self.environment is None or below.environment is None:
            return {}
        return {"environment": below.environment | self.environment}
