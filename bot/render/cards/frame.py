"""The parts that all cards share: the heading, buttons, files, and the decision."""

import gzip
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from pydantic_core import to_json

from bot.masking import mask
from bot.message_names import CARD
from bot.messages import (
    V2_TEXT_LIMIT,
    Accent,
    AttachedFile,
    Box,
    Button,
    Buttons,
    Divider,
    File,
    Message,
    Select,
    Style,
    Text,
)
from bot.permission_requests.cached import cached
from bot.permission_requests.card_button_ids import custom_id
from bot.permission_requests.diff import unified
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Decided, Open, Ticket, Withdrawn
from bot.text.code_block import code_block
from bot.text.escape import escape_line, escape_markdown
from bot.text.truncate import truncate, utf16_length
from shared.protocol import Allow, Deny

MAX_TEXT = V2_TEXT_LIMIT - 40  # a little below Discord's limit, in case it counts differently
FILE_LIMIT = 8 * 1024 * 1024  # Discord takes 10 MiB a file
MAX_DIFF = 600
MAX_QUOTED = 12  # lines
CHANGED = "-# 🔄 The file has changed since Claude asked. Please review it again."
HIDES = "⚠️ Something that looks like a secret is hidden here. An owner can view it."
STILL_WAITING = "-# ⏳ Claude is still waiting for your answer here. Newer messages run after that."

Part = Text | Buttons | Select | Divider | AttachedFile


def head(ticket: Ticket, title: str) -> Text:
    """Draw the heading: what Claude asks for, in which project, and for whom. The title is markdown."""
    is_open = isinstance(ticket.state, Open)
    lines = [f"### {title}{'?' * is_open}", _origin(ticket.request)]
    if is_open and ticket.changed_at:
        lines.append(CHANGED)
    if is_open and ticket.draft.overheard:
        lines.append(STILL_WAITING)
    return Text("\n".join(lines))


@cached
def _origin(request: PermissionRequest) -> str:
    origin = request.origin
    who = f"for <@{origin.prompted_by}>" if origin.prompted_by is not None else "Claude started this on its own"
    subagent = f"subagent: {escape_line(origin.subagent, 80)}" if origin.subagent is not None else ""
    return f"-# {' · '.join(filter(None, (escape_line(origin.project, 60), who, subagent)))}"


def message(
    ticket: Ticket, parts: Iterable[Part], accent: Accent, files: tuple[File, ...], *, already_masked: bool = False
) -> Message:
    asker = ticket.origin.prompted_by
    return Message(
        key=CARD.of(ticket.id),
        components=(Box(tuple(parts), accent),),
        files=files,
        mentions=(asker,) if asker is not None and isinstance(ticket.state, Open) else (),
        already_masked=already_masked,
    )


def button(ticket: Ticket, verb: str, label: str, style: Style = Style.SECONDARY, *, disabled: bool = False) -> Button:
    return Button(custom_id(ticket.id, verb, ticket.version), label, style, disabled)


def show_original(ticket: Ticket) -> Buttons:
    """Draw the button that shows an owner the hidden parts of the card."""
    return Buttons((button(ticket, "original", "Show the original"),))


def room_left(*texts: str) -> int:
    """Return how many more characters fit on a card with these texts."""
    return MAX_TEXT - sum(map(utf16_length, texts))


def subtext(lines: Iterable[str]) -> str:
    return "\n".join(f"-# {line}" for line in lines if line)


@lru_cache(maxsize=8)
def attach(name: str, text: str) -> tuple[File | None, str]:
    """Make a file, gzipped if it is large. If that is still too large for Discord, return None and a warning."""
    content = text.encode("utf-8", "surrogatepass")
    if len(content) > FILE_LIMIT:
        name, content = f"{name}.gz", gzip.compress(content, mtime=0)
    if len(content) > FILE_LIMIT:
        return None, f"⚠️ The full text is too large to attach ({len(text):,} characters), so it can't be viewed here."
    return File(name, content), ""


def readable(arguments: Mapping[str, Any]) -> str:
    """Format arguments as JSON. Values that JSON can't express, such as a lone surrogate, use Python's repr."""
    try:
        return to_json(arguments, indent=2, inf_nan_mode="constants", fallback=repr).decode()
    except ValueError:
        return json.dumps(arguments, indent=2, ensure_ascii=False, default=repr)


def outcome(ticket: Ticket, edited: str = "Edited before it ran:") -> tuple[str, File | None]:
    """Describe how the ticket ended; empty while it is open. `edited` introduces the diff of an edited input."""
    match ticket.state:
        case Withdrawn(reason=reason, at=at):
            why = escape_line(reason, 300)
            return f"↩️ **Withdrawn** {_timestamp(at)}" + (f"\n-# {why}" if why else ""), None
        case Decided(decision=Allow() as decision) as state:
            said = f"✅ **Allowed** {decided_by(state)}" + _note(state)
            changed = _input_diff(ticket.request.input, decision.updated_input)
            if not changed:
                return said, None
            changed = mask(changed)
            shown = code_block(changed, "diff", MAX_DIFF, "edited.diff")
            file = None if shown.complete else attach("edited.diff", changed)[0]
            return f"{said}\n{edited}\n{shown.markdown}", file
        case Decided(via="time-out", at=at):
            return f"⌛ **Nobody answered** {_timestamp(at)}\n-# Claude was told that this is not a refusal.", None
        case Decided(decision=Deny(message=reason)) as state:
            return f"⛔ **Denied** {decided_by(state)}" + _note(state) + quoted(reason), None
        case _:
            return "", None


def accent(ticket: Ticket, waiting: Accent = Accent.WAITING) -> Accent:
    match ticket.state:
        case Decided(decision=Allow()):
            return Accent.ALLOWED
        case Open():
            return waiting
        case _:
            return Accent.DENIED


def quoted(text: str) -> str:
    lines = escape_markdown(truncate(text.strip(), 400)).splitlines()
    if len(lines) > MAX_QUOTED:
        lines = [*lines[:MAX_QUOTED], "…"]
    return "".join(f"\n> {one}" for one in lines)


def decided_by(state: Decided) -> str:
    return (f"by <@{state.by}> " if state.by is not None else "automatically ") + _timestamp(state.at)


def _note(state: Decided) -> str:
    return f"\n-# {escape_line(state.note, 200)}" if state.note.strip() else ""


def _timestamp(at: float) -> str:
    return f"<t:{int(at)}:R>"


def _input_diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return a diff of the input that Claude sent and the one that ran."""
    pieces = []
    for key in {**before, **after}:
        old, new = before.get(key, ""), after.get(key, "")
        if old != new:
            texts = (value if isinstance(value, str) else readable({key: value}) for value in (old, new))
            pieces.append(unified(*(f"{text}\n" for text in texts)))
    return "\n".join(pieces)
