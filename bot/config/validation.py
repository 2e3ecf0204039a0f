"""Finds the mistakes in a configuration file, and says how to correct each one."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from bot.config import toml
from bot.config.decision_settings import ApprovalSettings
from bot.config.layers import Choices
from bot.config.people import People
from bot.config.settings import ClaudeSettings, Project, Settings
from bot.config.toml import Document, Mistake
from bot.config.values import LONGEST_NAME, UNGUARDED, is_name

_TYPE_REASONS = {
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
    "too_short": "this is empty; add a value or remove it",
    "string_too_short": "this is empty; add a value or remove it",
}


def find_mistakes(document: Document, invalid: list[ErrorDetails]) -> Iterator[Mistake]:
    """Yield every mistake; `invalid` are the values that pydantic did not accept."""
    yield from document.mistakes
    yield from _invalid_values(document, invalid)
    yield from _contradictions(document)


def _invalid_values(document: Document, errors: list[ErrorDetails]) -> Iterator[Mistake]:
    """Yield a mistake for each invalid value."""
    misspelt = {(*e["loc"][:-1], _guess(e["loc"])) for e in errors if e["type"] == "extra_forbidden"}
    for error in errors:
        path = tuple(part for part in error["loc"] if part != "[key]")
        if error["type"] == "missing" and (document.mistakes or path in misspelt):
            continue  # it is in a part that could not be read, or is reported where it is misspelt
        yield Mistake(document.line(path), _setting_name(path), why(error))


def _contradictions(document: Document) -> Iterator[Mistake]:
    """Yield the mistakes that involve several settings, as far as these can be read."""
    raw = document.raw
    projects = {name: p for name, p in _table(raw.get("projects")).items() if isinstance(p, dict)}
    if not projects and not raw.get("roots") and not document.mistakes:
        reason = (
            "there is no project; add [projects.NAME] with folder and channels, or set roots to add one from Discord"
        )
        yield Mistake(document.line(("projects",)), "projects", reason)
    owner: dict[str, str] = {}
    for name, project in projects.items():
        path = ("projects", name)
        if "name" in project:
            yield _mistake(document, (*path, "name"), "a project is named by its section; remove this")
        if not is_name(name):
            yield _mistake(
                document, path, f"a project's name is one line of up to {LONGEST_NAME} characters; shorten it"
            )
        if "startup" in _table(project.get("threads")):
            where = (*path, "threads", "startup")
            yield _mistake(document, where, "threads can't be started with the bot; set startup for the project")
        for which, what in (("talk", "talk to Claude"), ("decide", "decide")):
            if not (_names_someone(raw.get("people")) or _names_someone(project.get(which)) or document.mistakes):
                reason = f"nobody may {what}; name users or roles in [people] or in {which}"
                yield _mistake(document, path, reason)
        yield from _unconfirmed_bypass(document, path, project)
        yield from _missing_second_person(document, path, project)
        for number, channel in enumerate(_items(project.get("channels"))):
            taken = owner.setdefault(str(channel), name)
            if taken != name:
                reason = f"{channel} already belongs to {taken}; use another channel"
                yield _mistake(document, (*path, "channels", number), reason)


def _missing_second_person(document: Document, path: toml.KeyPath, project: Mapping[str, Any]) -> Iterator[Mistake]:
    """Find a project that wants a second person but has only one."""
    layers = (_table(layer.get("decisions")) for layer in (project, document.raw))
    wanted = next((layer["second_person"] for layer in layers if "second_person" in layer), None)
    people = _table(project.get("decide") or document.raw.get("people"))
    if wanted is True and not people.get("roles") and len(_items(people.get("users"))) == 1:
        reason = "second_person needs someone else: add another user or a role to decide, or remove it"
        yield _mistake(document, path, reason)


def _unconfirmed_bypass(document: Document, path: toml.KeyPath, project: Mapping[str, Any]) -> Iterator[Mistake]:
    """Find modes that skip permission requests without `allow_bypass`."""
    for where, layer in ((path, project), ((*path, "threads"), _table(project.get("threads")))):
        if layer.get("permission_mode") in UNGUARDED and project.get("allow_bypass") is not True:
            reason = "Claude would act without asking anyone; choose another mode, or add allow_bypass = true"
            yield _mistake(document, (*where, "permission_mode"), reason)


def _mistake(document: Document, path: toml.KeyPath, reason: str) -> Mistake:
    return Mistake(document.line(path), _setting_name(path), reason)


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _names_someone(people: object) -> bool:
    if not isinstance(people, dict):
        return people is not None  # an invalid value, which is reported elsewhere
    return any(people.get(kind) for kind in ("users", "roles"))


def _setting_name(path: toml.KeyPath) -> str:
    return ".".join(str(part) for part in path) or "the file"


def why(error: ErrorDetails) -> str:
    """Say what is wrong with a value, and what to do about it."""
    match error["type"]:
        case "extra_forbidden":
            return f"there is no such setting; {_suggestion(error['loc'])}remove it or check its spelling"
        case "missing":
            return "this is missing; add it"
        case "value_error":
            return str(error["ctx"]["error"])
        case "literal_error":
            return f"{error['input']!r} is not possible here; choose {error['ctx']['expected']}"
        case kind if kind in _TYPE_REASONS:
            return _TYPE_REASONS[kind]
        case _:
            said = error["msg"].replace("Input should be", "this should be", 1)
            return f"{said}; it says {error['input']!r}: change it"


def _suggestion(loc: tuple[int | str, ...]) -> str:
    guess = _guess(loc)
    return f"did you mean {guess}? Otherwise " if guess else ""


def _guess(loc: tuple[int | str, ...]) -> str:
    """Return the setting that a misspelt one is probably meant to be."""
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
