"""What `claude-discord` at the terminal and the running bot say to each other."""

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
    """What a supervisor may know; it needs no token, and says nothing about anybody's work."""

    ok: bool
    boot: str
    """Another one after each start, a restart included."""
    discord: bool
    """Whether the connection to Discord stands."""


Doing = Literal["waiting", "working", "ending", "idle", "starting", "asleep"]


class SessionInfo(_OwnerBody):
    """A conversation as it is right now."""

    thread: int
    project: str
    title: str
    doing: Doing
    since: float | None = None
    """When the turn began."""
    waits_for: tuple[str, ...] = ()
    """The tools whose use somebody has to decide."""
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
    """What came of a prompt since the last piece."""

    text: str = ""
    waits_for: tuple[str, ...] = ()
    outcome: Literal["ok", "failed", "stopped"] | None = None
    """Said once, at the end."""
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
    """The name of the change to take over; empty only looks."""


class SettingChange(_OwnerBody):
    """A setting that the file has otherwise than what is in force."""

    setting: str
    before: str
    after: str
    loosens: bool


class ReloadAnswer(_OwnerBody):
    """What the file wants changed, and whether that counts now."""

    name: str = ""
    changes: tuple[SettingChange, ...] = ()
    taken: bool = False


class RestartAnswer(_OwnerBody):
    """The next bot would start, and is about to."""

    boot: str
    """The one that leaves."""
    kept: int
    """How many processes of Claude's go on meanwhile."""
    waiting: int = 0
    """How many changes of the configuration wait for an owner: a restart brings none of them into force."""
