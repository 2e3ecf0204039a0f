"""The reply to `/settings`: each value, and the layer that it comes from."""

from collections.abc import Mapping
from pathlib import Path

from bot.config import People, Project
from bot.messages import MESSAGE_LIMIT
from bot.projects.projects import SettingLayer, SettingOrigin
from bot.text.code_block import inline_code
from bot.text.escape import escape_line
from bot.text.truncate import truncate

LAYERS: dict[SettingLayer, str] = {
    "thread": "this thread",
    "threads": "the project's threads",
    "project": "the project",
}
SHOWN = 120
"""Characters of a value, enough to recognize it."""


def page(project: Project, origins: Mapping[str, SettingOrigin | None], *, in_thread: bool) -> str:
    """List the settings that apply here."""
    where = "this thread" if in_thread else "a new thread"
    lines = [f"**{escape_line(project.name, 80)}**: settings for {where}"]
    lines += [_line(name, getattr(project, name), origin) for name, origin in origins.items() if origin is not None]
    lines += [_people(name, getattr(project, name)) for name in ("talk", "decide") if origins.get(name) is None]
    left = [f"`{name}`" for name, origin in origins.items() if origin is None and name not in {"talk", "decide"}]
    if left:
        lines.append(f"-# Not set, left to Claude: {', '.join(left)}")
    lines.append("-# Change one: `/settings setting: value: for:`. Leave out the value to reset it.")
    return truncate("\n".join(lines), MESSAGE_LIMIT)


def value(chosen: object) -> str:
    """Write a value for a person to read; of environment variables only the names."""
    match chosen:
        case None:
            return "nothing"
        case bool():
            return "yes" if chosen else "no"
        case People(users=users, roles=roles):
            return ", ".join([f"<@{user}>" for user in sorted(users)] + [f"<@&{role}>" for role in sorted(roles)])
        case dict() | tuple():
            return ", ".join(inline_code(str(each), 60) for each in chosen) or "none"
        case Path():
            return inline_code(str(chosen))
        case _:
            return escape_line(str(chosen), SHOWN)


def _line(name: str, chosen: object, origin: SettingOrigin) -> str:
    source = ", changed in Discord" if origin.source == "discord" and origin.layer != "thread" else ""
    return f"`{name}` **{truncate(value(chosen), 300)}** · {LAYERS[origin.layer]}{source}"


def _people(name: str, people: People) -> str:
    return f"`{name}` {value(people)} · `[people]`"
