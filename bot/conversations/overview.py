"""Every project at a glance: what runs, what waits for a person, what it cost today."""

import time
from collections.abc import Mapping
from typing import Protocol, get_args

from bot.conversations.conversations import Conversations
from bot.projects.projects import Projects
from bot.render.replies.panel import Live, ProjectSummary
from bot.status import Doing, Status


class ProjectCounts(Protocol):
    """What is remembered of all conversations."""

    def threads_of_projects(self) -> Mapping[str, int]: ...
    def spent_by_projects(self, since: float) -> Mapping[str, float]: ...


def overview(
    projects: Projects, conversations: Conversations, counts: ProjectCounts, now: float
) -> list[ProjectSummary]:
    """Look at every project, in the configuration's order."""
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


def live(status: Status) -> Live:
    """Describe a thread whose process is there."""
    return Live(status.thread, status.title, status.doing, status.waiting_tools, status.since, status.queued)


def midnight(now: float) -> float:
    """When this day began, where the bot is."""
    year, month, day, *_ = time.localtime(now)
    return time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))


def _first(each: Live) -> tuple[int, int]:
    return get_args(Doing).index(each.doing), each.thread
