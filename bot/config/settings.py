"""The sections of the file: people, projects, Claude, and the whole."""

from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field, NonNegativeFloat, PositiveFloat

from bot.config.decision_settings import ApprovalSettings
from bot.config.layers import Choices
from bot.config.people import People
from bot.config.values import AbsolutePath, Folder, Section, Snowflake

APP = "claude-discord"


class Project(Choices):
    """A folder on this machine, with its channels and settings."""

    name: str = ""
    folder: Folder
    channels: frozenset[Snowflake] = Field(min_length=1)
    talk: People = People()
    decide: People = People()
    threads: Choices = Choices()
    """What its threads choose where they choose nothing themselves."""
    extra_args: tuple[str, ...] = ()
    decisions: ApprovalSettings = ApprovalSettings()
    allow_bypass: bool = False
    """Whether `bypassPermissions` may be chosen here: Claude then asks nobody."""

    def at(self, own: Choices) -> "Project":
        """The project as it is in a thread that has chosen this for itself."""
        return self.model_copy(update=own.over(self.threads).over(self).chosen())


class ClaudeSettings(Section):
    """How the `claude` program is started and when it is let go."""

    command: tuple[str, ...] = Field(default=("claude",), min_length=1)
    idle_minutes: PositiveFloat = 30.0
    patience_minutes: PositiveFloat = 15.0
    """How long a waiting request outlives an absent bot."""


class Settings(Section):
    """The whole file, with defaults filled in."""

    people: People = People()
    owners: People = People()
    """Who may add projects and change their settings from Discord; those in `people` where nobody is named."""
    claude: ClaudeSettings = ClaudeSettings()
    decisions: ApprovalSettings = ApprovalSettings()
    """How requests are decided, where a project does not say otherwise."""
    projects: dict[str, Project] = Field(default_factory=dict)
    roots: tuple[Folder, ...] = ()
    """Folders under which a project may be added from Discord."""
    panel: Snowflake | None = None
    """The channel with the message that shows every project."""
    state: AbsolutePath = Path(platformdirs.user_state_dir(APP))
    keep_days: NonNegativeFloat = 90.0
    """How long journals, attachments and finished requests are kept; 0 is for ever."""
    transcriber: tuple[str, ...] = ()
    """The program that writes down voice messages: given a file's path, it prints the words."""
    port: int = Field(default=0, ge=0, le=65535)
    log_format: Literal["lines", "json"] = "lines"
    discord_api: str | None = None
    """Another Discord than discord.com: the sandbox's."""

    def project_of(self, channel: int) -> Project | None:
        return next((p for p in self.projects.values() if channel in p.channels), None)

    @property
    def channels(self) -> frozenset[int]:
        return frozenset[int]().union(*(p.channels for p in self.projects.values()))
