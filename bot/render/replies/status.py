"""The reply to `/status`."""

from bot.conversation_status import Status
from bot.text.escape import escape_markdown, one_line


def status_reply(now: Status) -> str:
    """Return what is running, since when, where, and what it is waiting for."""
    lines = [
        _doing(now),
        f"-# Project {escape_markdown(one_line(now.project.name))} in `{one_line(str(now.project.folder))}`",
    ]
    if queued := now.queued - len(now.held):
        lines.append(f"-# {queued} queued")
    if now.held:
        lines.append(f"-# {len(now.held)} on hold since a stop")
    if now.process is not None:
        lines.append(f"-# Process {now.process}")
    if now.session is not None:
        lines.append(f"-# Session `{now.session}`")
    return "\n".join(lines)


def _doing(now: Status) -> str:
    match now.doing:
        case "waiting":
            return f"⏸️ **Waiting for you**: {', '.join(escape_markdown(one_line(tool)) for tool in now.waiting_tools)}"
        case "working":
            return f"⚙️ **Working**, started <t:{now.since or 0:.0f}:R>"
        case "starting":
            return "⚙️ **Starting**"
        case "ending":
            return "💤 **Ending**: your next message starts it again"
        case "idle":
            return "💤 **Idle**, ready for your next message"
    return "💤 **Asleep**: your next message wakes it"
