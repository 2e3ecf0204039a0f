"""An overview of every project: its running threads, open requests and today's cost."""

import time
from collections.abc import Mapping
from typing import Protocol, get_args

from bot.conversation_status import Doing, Status
from bot.conversations.conversations import Conversations
from bot.projects.projects import Projects
from bot.render.replies.panel import ProjectSummary, RunningThread


class ProjectCounts(Protocol):
    """Numbers about all conversations, from the state file."""

    def threads_of_projects(self) -> Mapping[str, int]: ...
    def spent_by_projects(self, since: float) -> Mapping[str, float]: ...


def overview(
    projects: Projects, conversations: Conversations, counts: ProjectCounts, now: float
) -> list[ProjectSummary]:
    """Summarize every project, in the order of the configuration."""
    threads = counts.threads_of_projects()
    spent = counts.spent_by_projects(midnight(now))
    known = (conversation.status() for conversation in conversations.awake())
    awake = [status for status in known if status.process is not None]
    return [
        ProjectSummary(
            name=name,
            talk=project.talk,
            channels=tuple(sorted(project.channels)),
            threads=threads.get(name, 0),
            cost=spent.get(name, 0.0),
            live=tuple(sorted(map(live, (c for c in awake if c.project.name == name)), key=_first)),
        )
        for name, project in projects.settings.projects.items()
    ]


def live(status: Status) -> RunningThread:
    """Describe a thread with a running process."""
    return RunningThread(status.thread, status.title, status.doing, status.waiting_tools, status.since, status.queued)


def midnight(now: float) -> float:
    """Return when today began, in the bot's time zone."""
    year, month, day, *_ = time.localtime(now)
    return time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))


def _first(each: RunningThread) -> tuple[int, int]:
    return get_args(Doing).index(each.doing), each.thread
