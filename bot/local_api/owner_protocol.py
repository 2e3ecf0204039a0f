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


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True)


class Health(_Wire):
    """What a supervisor may know; it needs no token, and says nothing about anybody's work."""

    ok: bool
    boot: str
    """Another one after each start, a restart included."""
    discord: bool
    """Whether the connection to Discord stands."""


Doing = Literal["waiting", "working", "ending", "idle", "starting", "asleep"]


class Session(_Wire):
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


class Sessions(_Wire):
    sessions: tuple[Session, ...]


class SayWish(_Wire):
    project: str
    prompt: str


class Said(_Wire):
    """The prompt is on its way."""

    thread: int
    prompt: int
    title: str


class FollowWish(_Wire):
    thread: int
    prompt: int


class Piece(_Wire):
    """What came of a prompt since the last piece."""

    text: str = ""
    waits_for: tuple[str, ...] = ()
    outcome: Literal["ok", "failed", "stopped"] | None = None
    """Said once, at the end."""
    why: str = ""


class StopWish(_Wire):
    name: str


class Stopped(_Wire):
    session: Session
    sentence: str


class StopAnswer(_Wire):
    stopped: tuple[Stopped, ...]


class ReloadWish(_Wire):
    take: str = ""
    """The name of the change to take over; empty only looks."""


class Change(_Wire):
    """A setting that the file has otherwise than what is in force."""

    setting: str
    before: str
    after: str
    loosens: bool


class Reloaded(_Wire):
    """What the file wants changed, and whether that counts now."""

    name: str = ""
    changes: tuple[Change, ...] = ()
    taken: bool = False


class Restarting(_Wire):
    """The next bot would start, and is about to."""

    boot: str
    """The one that leaves."""
    kept: int
    """How many processes of Claude's go on meanwhile."""
    waiting: int = 0
    """How many changes of the configuration wait for an owner: a restart brings none of them into force."""
