"""The sections of the configuration file: a project, `[claude]`, and the whole file."""

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
    """Settings for threads that don't choose their own."""
    extra_args: tuple[str, ...] = ()
    decisions: ApprovalSettings = ApprovalSettings()
    allow_bypass: bool = False
    """Whether `bypassPermissions` and `auto` may be chosen, in which Claude acts without asking."""

    def at(self, own: Choices) -> "Project":
        """Return the project's settings in a thread with these choices of its own."""
        return self.model_copy(update=own.over(self.threads).over(self).chosen())


class ClaudeSettings(Section):
    """How the `claude` program is started and when it ends."""

    command: tuple[str, ...] = Field(default=("claude",), min_length=1)
    idle_minutes: PositiveFloat = 30.0
    patience_minutes: PositiveFloat = 15.0
    """How long a request waits for a bot that is not running."""


class Settings(Section):
    """The whole file, with defaults filled in."""

    people: People = People()
    owners: People = People()
    """Who may add projects and change project settings from Discord; default: `people`."""
    claude: ClaudeSettings = ClaudeSettings()
    decisions: ApprovalSettings = ApprovalSettings()
    """How requests are decided, unless a project has its own settings."""
    projects: dict[str, Project] = Field(default_factory=dict)
    roots: tuple[Folder, ...] = ()
    """Folders in which a project can be added from Discord."""
    panel: Snowflake | None = None
    """The channel with the message that shows every project."""
    state: AbsolutePath = Path(platformdirs.user_state_dir(APP))
    keep_days: NonNegativeFloat = 90.0
    """How long journals, attachments and finished requests are kept; 0 means forever."""
    transcriber: tuple[str, ...] = ()
    """The program that transcribes voice messages: it gets a file's path and prints the text."""
    port: int = Field(default=0, ge=0, le=65535)
    log_format: Literal["lines", "json"] = "lines"
    discord_api: str | None = None
    """Address of a Discord other than discord.com, such as the sandbox's."""

    def project_of(self, channel: int) -> Project | None:
        return next((p for p in self.projects.values() if channel in p.channels), None)

    @property
    def channels(self) -> frozenset[int]:
        return frozenset[int]().union(*(p.channels for p in self.projects.values()))
