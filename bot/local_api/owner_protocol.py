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


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True)


class Health(_Body):
    """What a supervisor may know; it needs no token, and says nothing about anybody's work."""

    ok: bool
    boot: str
    """Another one after each start, a restart included."""
    discord: bool
    """Whether the connection to Discord stands."""


Doing = Literal["waiting", "working", "ending", "idle", "starting", "asleep"]


class SessionInfo(_Body):
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


class SessionsAnswer(_Body):
    sessions: tuple[SessionInfo, ...]


class SayRequest(_Body):
    project: str
    prompt: str


class SayAnswer(_Body):
    """The prompt is on its way."""

    thread: int
    prompt: int
    title: str


class FollowRequest(_Body):
    thread: int
    prompt: int


class PromptProgress(_Body):
    """What came of a prompt since the last piece."""

    text: str = ""
    waits_for: tuple[str, ...] = ()
    outcome: Literal["ok", "failed", "stopped"] | None = None
    """Said once, at the end."""
    why: str = ""


class StopRequest(_Body):
    name: str


class StoppedSession(_Body):
    session: SessionInfo
    sentence: str


class StopAnswer(_Body):
    stopped: tuple[StoppedSession, ...]


class ReloadRequest(_Body):
    take: str = ""
    """The name of the change to take over; empty only looks."""


class SettingChange(_Body):
    """A setting that the file has otherwise than what is in force."""

    setting: str
    before: str
    after: str
    loosens: bool


class ReloadAnswer(_Body):
    """What the file wants changed, and whether that counts now."""

    name: str = ""
    changes: tuple[SettingChange, ...] = ()
    taken: bool = False


class RestartAnswer(_Body):
    """The next bot would start, and is about to."""

    boot: str
    """The one that leaves."""
    kept: int
    """How many processes of Claude's go on meanwhile."""
    waiting: int = 0
    """How many changes of the configuration wait for an owner: a restart brings none of them into force."""
