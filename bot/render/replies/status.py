"""What `/status` says of a conversation."""

from dataclasses import dataclass

from bot.text.escape import escape_markdown, one_line


@dataclass(frozen=True, slots=True)
class Report:
    """A conversation as it is right now."""

    project: str
    folder: str
    session: str | None
    process: int | None
    working_since: float | None
    waiting: tuple[str, ...]
    """The tools whose use somebody has to decide."""
    queued: int


def status(report: Report) -> str:
    """Say what runs, since when, where, and what it waits for."""
    if report.waiting:
        doing = f"⏸️ **Waiting for you**: {', '.join(escape_markdown(one_line(tool)) for tool in report.waiting)}"
    elif report.working_since is not None:
        doing = f"⚙️ **Working** since <t:{report.working_since:.0f}:R>"
    elif report.process is not None:
        doing = "💤 **Idle**, ready for your next message"
    else:
        doing = "💤 **Asleep**: your next message wakes it"
    lines = [doing, f"-# Project {escape_markdown(one_line(report.project))} in `{one_line(report.folder)}`"]
    if report.queued:
        lines.append(f"-# {report.queued} queued")
    if report.process is not None:
        lines.append(f"-# Process {report.process}")
    if report.session is not None:
        lines.append(f"-# Session `{report.session}`")
    return "\n".join(lines)
