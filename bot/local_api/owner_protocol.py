"""The messages between `claude-discord` at the terminal and the running bot."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

TOKEN_FILE = "admin"  # noqa: S105 - a file's name in the state folder
ADDRESS_FILE = "address"

HEALTH_ROUTE = "/healthz"
SESSIONS_ROUTE = "/admin/sessions"
SAY_ROUTE = "/admin/say"
FOLLOW_ROUTE = "/admin/follow"
STOP_ROUTE = "/admin/stop"
RELOAD_ROUTE = "/admin/reload"
RESTART_ROUTE = "/admin/restart"


class _OwnerBody(BaseModel):
    model_config = ConfigDict(frozen=True)


class Health(_OwnerBody):
    """The bot's health, for a supervisor; it needs no token and reveals nothing about anyone's work."""

    ok: bool
    boot: str
    """Different after each start and restart."""
    discord: bool
    """Whether the bot is connected to Discord."""


Doing = Literal["waiting", "working", "ending", "idle", "starting", "asleep"]


class SessionInfo(_OwnerBody):
    """The current state of a conversation."""

    thread: int
    project: str
    title: str
    doing: Doing
    since: float | None = None
    """When the turn began."""
    waits_for: tuple[str, ...] = ()
    """The tools that wait for permission."""
    queued: int = 0
    process: int | None = None
    session: str | None = None


class SessionsAnswer(_OwnerBody):
    sessions: tuple[SessionInfo, ...]


class SayRequest(_OwnerBody):
    project: str
    prompt: str


class SayAnswer(_OwnerBody):
    """The prompt is on its way."""

    thread: int
    prompt: int
    title: str


class FollowRequest(_OwnerBody):
    thread: int
    prompt: int


class PromptProgress(_OwnerBody):
    """A prompt's progress since the last message."""

    text: str = ""
    waits_for: tuple[str, ...] = ()
    outcome: Literal["ok", "failed", "stopped"] | None = None
    """Set once, at the end."""
    why: str = ""


class StopRequest(_OwnerBody):
    name: str


class StoppedSession(_OwnerBody):
    session: SessionInfo
    sentence: str


class StopAnswer(_OwnerBody):
    stopped: tuple[StoppedSession, ...]


class ReloadRequest(_OwnerBody):
    take: str = ""
    """The name of the change to apply; empty to only check the file."""


class SettingChange(_OwnerBody):
    """A setting whose value in the file differs from the current one."""

    setting: str
    before: str
    after: str
    loosens: bool


class ReloadAnswer(_OwnerBody):
    """The changes in the file, and whether they were applied."""

    name: str = ""
    changes: tuple[SettingChange, ...] = ()
    taken: bool = False


class RestartAnswer(_OwnerBody):
    """The next bot can start, and is about to."""

    boot: str
    """The boot of the current bot."""
    kept: int
    """How many of Claude's processes keep running."""
    waiting: int = 0
    """How many configuration changes wait for an owner; a restart doesn't apply them."""
