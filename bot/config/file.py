"""The configuration as a file: found, read, and checked as a whole."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.config import toml
from bot.config.decision_settings import ApprovalSettings
from bot.config.layers import Choices
from bot.config.people import People
from bot.config.settings import APP, ClaudeSettings, Project, Settings
from bot.config.toml import Document, Mistake
from bot.config.values import LONGEST_NAME, UNGUARDED, is_name
from bot.errors import ConfigError

FILE_NAME = "claude-discord.toml"

_SHAPES = {
    "dict_type": "this must be a section or a table: { … }",
    "model_type": "this must be a section or a table: { … }",
    "model_attributes_type": "this must be a section or a table: { … }",
    "frozen_set_type": "this must be a list: [ … ]",
    "tuple_type": "this must be a list: [ … ]",
    "list_type": "this must be a list: [ … ]",
    "string_type": "this must be text, in quotation marks",
    "path_type": "this must be a path, in quotation marks",
    "bool_type": "this must be true or false, without quotation marks",
    "bool_parsing": "this must be true or false, without quotation marks",
    "int_type": "this must be a whole number, without quotation marks",
    "int_parsing": "this must be a whole number, without quotation marks",
    "int_from_float": "this must be a whole number",
    "float_type": "this must be a number, without quotation marks",
    "float_parsing": "this must be a number, without quotation marks",
    "too_short": "this is empty; put something in, or leave it out",
    "string_too_short": "this is empty; put something in, or leave it out",
}


class InvalidConfig(ConfigError):  # noqa: N818 - what happened, as in the rest of the tree
    """The file can't be used; all that is wrong with it is in `mistakes`."""

    def __init__(self, source: str, mistakes: tuple[Mistake, ...]) -> None:
        super().__init__(f"{source} needs correcting:\n" + "\n".join(f"  {mistake}" for mistake in mistakes))
        self.mistakes = mistakes


def users_file() -> Path:
    """Where a user's configuration is found from anywhere."""
    return Path(platformdirs.user_config_dir(APP)) / FILE_NAME


def glimpse(path: Path, setting: str) -> str | None:
    """Read one text from a file that may have mistakes elsewhere."""
    try:
        named = tomllib.loads(path.read_text(encoding="utf-8")).get(setting)
    except (OSError, ValueError):
        return None
    return named if isinstance(named, str) else None


def state_of(path: Path) -> Path:
    """Find the state folder alone: for asking a running bot, whose file may have got a mistake since."""
    named = glimpse(path, "state")
    return (path.parent / Path(named or platformdirs.user_state_dir(APP)).expanduser()).resolve()


def load(path: Path) -> Settings:
    """Read and check the file; every mistake is in the one error."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors put a mark in front
    except FileNotFoundError:
        raise ConfigError(f"There is no {path}. Copy claude-discord.example.toml there and put in your ids.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}.") from None
    return settled(toml.read(text), base=path.parent, source=str(path))


def check(raw: Mapping[str, Any], *, base: Path, source: str) -> Settings:
    """Turn what was said into settings, or say all that is wrong with it."""
    return settled(Document(raw, {}), base=base, source=source)


def settled(document: Document, *, base: Path, source: str) -> Settings:
    """Turn what a document says into settings, or say all that is wrong with it, in its own order."""
    try:
        settings = Settings.model_validate(document.raw, context={"base": base.resolve()})
        wrong: list[ErrorDetails] = []
    except ValidationError as error:
        settings = None
        wrong = error.errors()
    mistakes = [*document.mistakes, *_misfits(document, wrong), *_contradictions(document)]
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
    """Fill in what a project leaves to the rest of the file."""
    return project.model_copy(
        update={
            "name": name,
            "talk": project.talk or people,
            "decide": project.decide or people,
            "decisions": project.decisions.over(decisions),
        }
    )


def _misfits(document: Document, errors: list[ErrorDetails]) -> Iterator[Mistake]:
    """Give each value that is not what it should be."""
    misspelt = {(*e["loc"][:-1], _guess(e["loc"])) for e in errors if e["type"] == "extra_forbidden"}
    for error in errors:
        path = tuple(part for part in error["loc"] if part != "[key]")
        if error["type"] == "missing" and (document.mistakes or path in misspelt):
            continue  # it stands in what could not be read, or is told of where it is misspelt
        yield Mistake(document.line(path), _place(path), why(error))


def _contradictions(document: Document) -> Iterator[Mistake]:
    """Give what is wrong between several places, as far as these can be understood."""
    raw = document.raw
    projects = {name: p for name, p in _table(raw.get("projects")).items() if isinstance(p, dict)}
    if not projects and not raw.get("roots") and not document.mistakes:
        reason = "there is no project; add [projects.NAME] with folder and channels, or roots to add one from Discord"
        yield Mistake(document.line(("projects",)), "projects", reason)
    owner: dict[str, str] = {}
    for name, project in projects.items():
        path = ("projects", name)
        if "name" in project:
            yield _mistake(document, (*path, "name"), "a project's name is its section's; remove this")
        if not is_name(name):
            yield _mistake(
                document, path, f"a project's name is one line of up to {LONGEST_NAME} characters; shorten it"
            )
        if "startup" in _table(project.get("threads")):
            where = (*path, "threads", "startup")
            yield _mistake(document, where, "not every thread can be started with the bot; set startup for the project")
        for which, what in (("talk", "talk to Claude"), ("decide", "decide")):
            if not (_anybody(raw.get("people")) or _anybody(project.get(which)) or document.mistakes):
                reason = f"nobody may {what}; name users or roles in [people] or in {which}"
                yield _mistake(document, path, reason)
        yield from _unguarded(document, path, project)
        yield from _alone(document, path, project)
        for number, channel in enumerate(_items(project.get("channels"))):
            taken = owner.setdefault(str(channel), name)
            if taken != name:
                reason = f"{channel} already belongs to {taken}; use another channel"
                yield _mistake(document, (*path, "channels", number), reason)


def _alone(document: Document, path: toml.KeyPath, project: Mapping[str, Any]) -> Iterator[Mistake]:
    """Find one person who alone decides where a second person is wanted."""
    layers = (_table(layer.get("decisions")) for layer in (project, document.raw))
    wanted = next((layer["second_person"] for layer in layers if "second_person" in layer), None)
    people = _table(project.get("decide") or document.raw.get("people"))
    if wanted is True and not people.get("roles") and len(_items(people.get("users"))) == 1:
        reason = "second_person needs somebody else: name another user or a role in decide, or leave it out"
        yield _mistake(document, path, reason)


def _unguarded(document: Document, path: toml.KeyPath, project: Mapping[str, Any]) -> Iterator[Mistake]:
    """Find a mode that skips permissions where nobody has said that this is meant."""
    for where, layer in ((path, project), ((*path, "threads"), _table(project.get("threads")))):
        if layer.get("permission_mode") in UNGUARDED and project.get("allow_bypass") is not True:
            reason = "Claude would act without asking anyone; choose another mode, or write allow_bypass = true as well"
            yield _mistake(document, (*where, "permission_mode"), reason)


def _mistake(document: Document, path: toml.KeyPath, reason: str) -> Mistake:
    return Mistake(document.line(path), _place(path), reason)


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _anybody(people: object) -> bool:
    if not isinstance(people, dict):
        return people is not None  # something is there, and what is wrong with it is told elsewhere
    return any(people.get(kind) for kind in ("users", "roles"))


def _place(path: toml.KeyPath) -> str:
    return ".".join(str(part) for part in path) or "the file"


def why(error: ErrorDetails) -> str:
    """Say what is wrong with a value, and what to do about it."""
    match error["type"]:
        case "extra_forbidden":
            return f"there is no such setting; {_meant(error['loc'])}remove it or check its spelling"
        case "missing":
            return "this is missing; add it"
        case "value_error":
            return str(error["ctx"]["error"])
        case "literal_error":
            return f"{error['input']!r} is not possible here; choose {error['ctx']['expected']}"
        case kind if kind in _SHAPES:
            return _SHAPES[kind]
        case _:
            said = error["msg"].replace("Input should be", "this should be", 1)
            return f"{said}; it says {error['input']!r}: change it"


def _meant(loc: tuple[int | str, ...]) -> str:
    guess = _guess(loc)
    return f"did you mean {guess}? Otherwise " if guess else ""


def _guess(loc: tuple[int | str, ...]) -> str:
    """Guess which setting somebody meant by one that there is not."""
    known = list(_section(loc[:-1]).model_fields)
    return next(iter(difflib.get_close_matches(str(loc[-1]), known, n=1)), "")


def _section(loc: tuple[int | str, ...]) -> type[BaseModel]:
    match loc:
        case ("projects", _):
            return Project
        case ("projects", _, "threads"):
            return Choices
        case ("claude",):
            return ClaudeSettings
        case (*_, "decisions"):
            return ApprovalSettings
        case (*_, "talk" | "decide" | "people" | "owners"):
            return People
        case _:
            return Settings
