"""The panel: a card that lists all projects. `/sessions` shows the same as text."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.config import People
from bot.conversation_status import Doing
from bot.message_names import PANEL
from bot.messages import MESSAGE_LIMIT, Accent, Box, Button, Buttons, Message, Style, Text
from bot.render.turns.footer import money
from bot.text.escape import escape_line
from bot.text.truncate import truncate

PREFIX = "panel"
PER_MESSAGE = 7
"""Projects in a message. Discord allows 40 components: the box, then a text, a row and three buttons per project."""
MAX_PROJECT = 400
"""Characters for one project; the texts of a message have 4000 in total."""
MAX_THREADS = 3
EMOJI: dict[Doing, str] = {
    "waiting": "⏸️",
    "working": "⚙️",
    "ending": "💤",
    "idle": "💤",
    "starting": "⚙️",
    "asleep": "💤",
}
WORDS: dict[Doing, str] = {"waiting": "waiting for you"}
"""States that are shown under another name."""


@dataclass(frozen=True, slots=True)
class RunningThread:
    """A thread with a running `claude` process."""

    thread: int
    title: str
    doing: Doing
    waits_for: tuple[str, ...]
    since: float | None
    queued: int


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """One project in the panel."""

    name: str
    talk: People
    channels: tuple[int, ...]
    threads: int
    cost: float
    """Since midnight, in US dollars."""
    live: tuple[RunningThread, ...]

    def count(self, doing: Doing) -> int:
        return sum(each.doing == doing for each in self.live)


def custom_id(verb: str, project: str) -> str:
    return f"{PREFIX}:{verb}:{project}"


def parse_custom_id(custom_id: str) -> tuple[str, str] | None:
    """Parse a custom_id; return None if it does not belong to the panel."""
    prefix, _, rest = custom_id.partition(":")
    verb, _, project = rest.partition(":")
    return (verb, project) if prefix == PREFIX else None


def panel(rows: Sequence[ProjectSummary], notes: Sequence[str] = ()) -> list[Message]:
    """Draw all projects, several per message."""
    parts = [rows[n : n + PER_MESSAGE] for n in range(0, len(rows), PER_MESSAGE)] or [[]]
    drawn = []
    for number, part in enumerate(parts):
        inside: list[Text | Buttons] = [each for row in part for each in (Text(_project(row)), _buttons(row))]
        if number == len(parts) - 1 and (notes or not rows):
            said = "\n".join(f"-# ⚠️ {truncate(note, 500)}" for note in notes[:2]) or "There are no projects yet."
            inside.append(Text(said))
        drawn.append(Message(PANEL.of(number), components=(Box(tuple(inside), _accent(part)),)))
    return drawn


def stopped_panel(at: float) -> Message:
    """Draw the message that replaces the panel while the bot is stopped, when its buttons would not work."""
    text = f"💤 The bot was stopped <t:{at:.0f}:R>. The panel returns when it starts again."
    return Message(PANEL.of(0), components=(Box((Text(text),), Accent.DENIED),))


def sessions(rows: Sequence[ProjectSummary]) -> str:
    """Return the panel as text, with every thread that has a running process."""
    lines = []
    for row in rows:
        lines.append(_heading(row))
        lines += [_thread(each) for each in row.live]
    return truncate("\n".join(lines) or "You don't have access to any project here.", MESSAGE_LIMIT)


def project_links(row: ProjectSummary, latest: Sequence[int]) -> str:
    """List links to a project's running threads, its latest threads, and its channels."""
    lines = [f"**{escape_line(row.name, 80)}**", *(_thread(each) for each in row.live[:15])]
    known = {each.thread for each in row.live}
    lines += [f"-# 💤 <#{thread}>" for thread in latest if thread not in known]
    lines.append("Channels: " + " ".join(f"<#{channel}>" for channel in row.channels))
    return truncate("\n".join(lines), MESSAGE_LIMIT)


def _project(row: ProjectSummary) -> str:
    active = [each for each in row.live if each.doing in {"waiting", "working"}]
    more = [f"-# and {len(active) - MAX_THREADS} more"] if len(active) > MAX_THREADS else []
    lines = [_heading(row), *(_thread(each) for each in active[:MAX_THREADS]), *more]
    return truncate("\n".join(lines), MAX_PROJECT)


def _heading(row: ProjectSummary) -> str:
    counts = [f"{EMOJI[doing]} {count} {WORDS.get(doing, doing)}" for doing in EMOJI if (count := row.count(doing))]
    words = [f"**{escape_line(row.name, 80)}**", *(counts or ["💤 asleep"])]
    words.append(f"{row.threads} thread{'s' if row.threads != 1 else ''}")
    if cost := money(row.cost):
        words.append(f"{cost} today")
    return " · ".join(words)


def _thread(each: RunningThread) -> str:
    words = [f"-# {EMOJI[each.doing]} <#{each.thread}>"]
    if each.waits_for:
        words.append(", ".join(escape_line(tool, 40) for tool in each.waits_for[:3]))
    elif each.since is not None:
        words.append(f"started <t:{each.since:.0f}:R>")
    if each.queued:
        words.append(f"{each.queued} queued")
    return " · ".join(words)


def _buttons(row: ProjectSummary) -> Buttons:
    return Buttons(
        (
            Button(custom_id("start", row.name), "Start", Style.SUCCESS),
            Button(custom_id("stop", row.name), "Stop", Style.DANGER, disabled=not row.live),
            Button(custom_id("open", row.name), "Open"),
        )
    )


def _accent(rows: Sequence[ProjectSummary]) -> Accent:
    return Accent.WAITING if any(row.count("waiting") for row in rows) else Accent.NEUTRAL
