"""The layers of settings: the thread's, the project's for its threads, the project's. The first that is set applies."""

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
    """How Claude works; a value of None leaves it to the layer below, and finally to the CLI."""

    model: ArgumentText | None = None
    effort: Effort | None = None
    permission_mode: PermissionMode | None = None
    folder: Folder | None = None
    isolation: Isolation | None = None
    """`worktree`: each thread works in its own git worktree, on its own branch."""
    style: Style | None = None
    """`channel`: one long conversation in the channel itself, without threads."""
    mention: Mention | None = None
    """Whether the line about a finished turn mentions the person who asked; default: `when-needed`."""
    thinking: bool | None = None
    """Show what Claude thinks, as spoilers."""
    startup: bool | None = None
    """Start Claude when the bot starts."""
    system_prompt: ArgumentText | None = None
    """Added to Claude's own system prompt."""
    allowed_tools: tuple[ArgumentText, ...] | None = None
    """What Claude may use without asking, in the CLI's syntax: `Bash(npm test:*)`."""
    extra_folders: tuple[Folder, ...] | None = None
    """Where else Claude may work."""
    environment: Variables | None = None
    """Environment variables for Claude and its commands; layers are merged variable by variable."""
    talk: Annotated[People | None, AfterValidator(_somebody)] = None
    decide: Annotated[People | None, AfterValidator(_somebody)] = None

    def over(self, below: "Choices") -> "Choices":
        """Return these choices, with missing ones taken from `below`."""
        return Choices().model_copy(update=below.chosen() | self.chosen() | self._variables_over(below))

    def chosen(self) -> dict[str, object]:
        """Return the choices that are set, by name."""
        return {name: value for name in Choices.model_fields if (value := getattr(self, name)) is not None}

    def _variables_over(self, below: "Choices") -> dict[str, object]:
        if self.environment is None or below.environment is None:
            return {}
        return {"environment": below.environment | self.environment}
