"""Settings from `claude-discord.toml` and secrets from the environment, checked as a whole."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PositiveFloat, ValidationError

from bot.errors import ConfigError

APP = "claude-discord"
FILE_NAME = "claude-discord.toml"
TOKEN_VARIABLE = "DISCORD_TOKEN"  # noqa: S105 - the variable's name, not a token

PermissionMode = Literal["default", "manual", "acceptEdits", "plan", "auto", "dontAsk"]
Effort = Literal["low", "medium", "high", "xhigh", "max"]


def _snowflake(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(  # noqa: TRY004 - pydantic reads ValueError only
            f"{value!r} is not a Discord id: copy the number with Discord's «Copy ID» "
            "(Settings → Advanced → Developer Mode)"
        )
    return value


Snowflake = Annotated[int, BeforeValidator(_snowflake), Field(ge=1, lt=2**63)]


def _at_home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:
        raise ValueError(f"nobody on this machine is called {path.parts[0]}; write the path in full") from None


def _possible(value: object) -> object:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a path can't have a NUL in it; remove it")
    return value


Place = Annotated[Path, BeforeValidator(_possible), AfterValidator(_at_home)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class People(_Section):
    """Who may do a thing: users and roles; nobody unless named."""

    users: frozenset[Snowflake] = frozenset()
    roles: frozenset[Snowflake] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.users or self.roles)

    def include(self, user: int, roles: Iterable[int]) -> bool:
        return user in self.users or not self.roles.isdisjoint(roles)


class Choices(_Section):
    """How Claude works; what is None is left to the layer below, and in the end to the CLI."""

    model: str | None = None
    effort: Effort | None = None
    permission_mode: PermissionMode | None = None

    def over(self, below: "Choices") -> "Choices":
        """Lay these choices over others: what is chosen here wins."""
        chosen = {name: getattr(self, name) for name in Choices.model_fields}
        return Choices.model_validate(
            {name: getattr(below, name) if value is None else value for name, value in chosen.items()}
        )


class Project(Choices):
    """A folder on this machine, with its channels and settings."""

    name: str = ""
    folder: Place
    channels: frozenset[Snowflake] = Field(min_length=1)
    talk: People = People()
    decide: People = People()
    threads: Choices = Choices()
    """What its threads choose where they choose nothing themselves."""
    extra_args: tuple[str, ...] = ()


class Claude(_Section):
    """How the `claude` program is started and when it is let go."""

    command: tuple[str, ...] = Field(default=("claude",), min_length=1)
    idle_minutes: PositiveFloat = 30.0
    patience_minutes: PositiveFloat = 15.0
    """How long a waiting request outlives an absent bot."""


class Settings(_Section):
    """The whole file, with defaults filled in."""

    people: People = People()
    claude: Claude = Claude()
    projects: dict[str, Project] = Field(min_length=1)
    state: Place = Path(platformdirs.user_state_dir(APP))
    port: int = Field(default=0, ge=0, le=65535)
    log_format: Literal["lines", "json"] = "lines"
    discord_api: str | None = None
    """Another Discord than discord.com: the sandbox's."""

    def project_of(self, channel: int) -> Project | None:
        return next((p for p in self.projects.values() if channel in p.channels), None)

    @property
    def channels(self) -> frozenset[int]:
        return frozenset[int]().union(*(p.channels for p in self.projects.values()))


def find() -> Path:
    """Find the configuration: this folder's, or else the user's."""
    here = Path(FILE_NAME)
    return here if here.exists() else Path(platformdirs.user_config_dir(APP)) / FILE_NAME


def state_of(path: Path) -> Path:
    """Find the state folder alone: for asking a running bot, whose file may have got a mistake since."""
    try:
        named = tomllib.loads(path.read_text(encoding="utf-8")).get("state")
    except (OSError, ValueError):
        named = None
    if not isinstance(named, str):
        return Path(platformdirs.user_state_dir(APP))
    return (path.parent / Path(named).expanduser()).resolve()


def load(path: Path) -> Settings:
    """Read and check the file; every mistake is in the one error."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no {path}. Copy claude-discord.example.toml there and put in your ids.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from None
    return check(raw, base=path.parent, source=str(path))


def check(raw: Mapping[str, Any], *, base: Path, source: str) -> Settings:
    """Turn what the file says into settings, or say all that is wrong with it."""
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        lines = [f"  {_place(e['loc'])}: {_reason(e)}" for e in error.errors()]
        raise ConfigError(f"{source} needs correcting:\n" + "\n".join(lines)) from None
    projects = {name: _complete(name, p, settings, base) for name, p in settings.projects.items()}
    mistakes = list(_mistakes(projects))
    if mistakes:
        raise ConfigError(f"{source} needs correcting:\n" + "\n".join(f"  {m}" for m in mistakes))
    return settings.model_copy(update={"projects": projects, "state": (base / settings.state).resolve()})


def _complete(name: str, project: Project, settings: Settings, base: Path) -> Project:
    folder = (base / project.folder).resolve()
    talk = project.talk or settings.people
    decide = project.decide or settings.people
    return project.model_copy(update={"name": name, "folder": folder, "talk": talk, "decide": decide})


def _mistakes(projects: Mapping[str, Project]) -> Iterable[str]:
    owner: dict[int, str] = {}
    for name, project in projects.items():
        if not project.folder.is_dir():
            yield f"projects.{name}.folder: there is no folder {project.folder}; create it or correct the path"
        if not project.talk:
            yield f"projects.{name}: nobody may talk to Claude; name users or roles in [people] or in talk"
        if not project.decide:
            yield f"projects.{name}: nobody may decide; name users or roles in [people] or in decide"
        for channel in sorted(project.channels):
            if channel in owner:
                yield f"projects.{name}.channels: {channel} already belongs to {owner[channel]}; use another channel"
            owner[channel] = name


def _place(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc) or "the file"


def _reason(error: Any) -> str:
    match error["type"]:
        case "extra_forbidden":
            return "there is no such setting; remove it or check its spelling"
        case "missing":
            return "this is missing; add it"
        case "value_error":
            return str(error["ctx"]["error"])
        case _:
            return f"{error['msg']} (it says {error['input']!r})"


def secret(environment: Mapping[str, str] | None = None, *, folder: Path | None = None) -> str | None:
    """Find the bot's token in the environment or in `.env`; it is never put into the environment."""
    environment = os.environ if environment is None else environment
    if token := environment.get(TOKEN_VARIABLE, "").strip():
        return token
    file = (folder or Path()) / ".env"
    if not file.is_file():
        return None
    for line in file.read_text(encoding="utf-8").splitlines():
        name, _, value = line.strip().removeprefix("export ").partition("=")
        if name.strip() == TOKEN_VARIABLE:
            return value.strip().strip("'\"") or None
    return None
