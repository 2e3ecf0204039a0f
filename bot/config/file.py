"""Finds, reads and checks the configuration file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bot.config import toml
from bot.config.decision_settings import ApprovalSettings
from bot.config.people import People
from bot.config.settings import APP, Project, Settings
from bot.config.toml import Document, Mistake
from bot.config.validation import find_mistakes
from bot.errors import ConfigError

FILE_NAME = "claude-discord.toml"


class InvalidConfig(ConfigError):  # noqa: N818 - what happened, as in the rest of the tree
    """The file can't be used; `mistakes` lists everything that is wrong."""

    def __init__(self, source: str, mistakes: tuple[Mistake, ...]) -> None:
        super().__init__(f"{source} needs correcting:\n" + "\n".join(f"  {mistake}" for mistake in mistakes))
        self.mistakes = mistakes


def users_file() -> Path:
    """Return the path of the configuration in the user's configuration folder."""
    return Path(platformdirs.user_config_dir(APP)) / FILE_NAME


def glimpse(path: Path, setting: str) -> str | None:
    """Read one text setting from a file that may have mistakes elsewhere."""
    try:
        named = tomllib.loads(path.read_text(encoding="utf-8")).get(setting)
    except (OSError, ValueError):
        return None
    return named if isinstance(named, str) else None


def state_of(path: Path) -> Path:
    """Read only the state folder: the file of a running bot may have mistakes by now."""
    named = glimpse(path, "state")
    return (path.parent / Path(named or platformdirs.user_state_dir(APP)).expanduser()).resolve()


def load(path: Path) -> Settings:
    """Read and check the file; raise one error with all mistakes."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors write a byte order mark
    except FileNotFoundError:
        raise ConfigError(f"There is no {path}. Create it with `claude-discord init`, or correct the path.") from None
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} can't be read: {error}.") from None
    return to_settings(toml.read(text), base=path.parent, source=str(path))


def check(raw: Mapping[str, Any], *, base: Path, source: str) -> Settings:
    """Turn raw values into settings; raise InvalidConfig with all mistakes."""
    return to_settings(Document(raw, {}), base=base, source=source)


def to_settings(document: Document, *, base: Path, source: str) -> Settings:
    """Turn a document into settings; raise InvalidConfig with all mistakes, in the order of their lines."""
    try:
        settings = Settings.model_validate(document.raw, context={"base": base.resolve()})
        wrong: list[ErrorDetails] = []
    except ValidationError as error:
        settings = None
        wrong = error.errors()
    mistakes = list(find_mistakes(document, wrong))
    if settings is None or mistakes:
        raise InvalidConfig(source, tuple(sorted(mistakes, key=lambda mistake: mistake.line or 0)))
    return settings.model_copy(
        update={
            "projects": {
                name: completed(name, project, settings.people, settings.decisions)
                for name, project in settings.projects.items()
            },
            "owners": settings.owners or settings.people,
            "state": (base / settings.state).resolve(),
        }
    )


def completed(name: str, project: Project, people: People, decisions: ApprovalSettings) -> Project:
    """Fill in the settings that a project takes from the rest of the file."""
    return project.model_copy(
        update={
            "name": name,
            "talk": project.talk or people,
            "decide": project.decide or people,
            "decisions": project.decisions.over(decisions),
        }
    )
