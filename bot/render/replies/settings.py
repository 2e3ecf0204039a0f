"""The reply to `/settings`: each value, and which layer sets it."""

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
MAX_VALUE = 120  # characters, enough to recognize a value


def settings_reply(project: Project, origins: Mapping[str, SettingOrigin | None], *, in_thread: bool) -> str:
    """List the settings that apply here."""
    where = "this thread" if in_thread else "a new thread"
    lines = [f"**{escape_line(project.name, 80)}**: settings for {where}"]
    lines += [_line(name, getattr(project, name), origin) for name, origin in origins.items() if origin is not None]
    lines += [_people(name, getattr(project, name)) for name in ("talk", "decide") if origins.get(name) is None]
    left = [f"`{name}`" for name, origin in origins.items() if origin is None and name not in {"talk", "decide"}]
    if left:
        lines.append(f"-# Not set, so Claude decides: {', '.join(left)}")
    lines.append("-# To change a setting: `/settings setting: value: for:`. To reset it, leave out the value.")
    return truncate("\n".join(lines), MESSAGE_LIMIT)


def format_value(chosen: object) -> str:
    """Format a value for a person; environment variables are shown without their values."""
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
            return escape_line(str(chosen), MAX_VALUE)


def _line(name: str, chosen: object, origin: SettingOrigin) -> str:
    source = ", changed in Discord" if origin.source == "discord" and origin.layer != "thread" else ""
    return f"`{name}` **{truncate(format_value(chosen), 300)}** · {LAYERS[origin.layer]}{source}"


def _people(name: str, people: People) -> str:
    return f"`{name}` {format_value(people)} · `[people]`"
