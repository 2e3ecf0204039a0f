"""Every project at a glance: what runs, what waits for a person, what it cost today."""

import time
from collections.abc import Mapping
from typing import Protocol

from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.render.replies.panel import Doing, Live, ProjectSummary


class ProjectCounts(Protocol):
    """What is remembered of all conversations."""

    def threads_of_projects(self) -> Mapping[str, int]: ...
    def spent_by_projects(self, since: float) -> Mapping[str, float]: ...


def overview(conversations: Conversations, counts: ProjectCounts, now: float) -> list[ProjectSummary]:
    """Look at every project, in the configuration's order."""
    threads = counts.threads_of_projects()
    spent = counts.spent_by_projects(midnight(now))
    awake = [conversation for conversation in conversations.awake() if conversation.running is not None]
    return [
        ProjectSummary(
            name=name,
            talk=project.talk,
            channels=tuple(sorted(project.channels)),
            threads=threads.get(name, 0),
            cost=spent.get(name, 0.0),
            live=tuple(sorted(map(live, (c for c in awake if c.record.project == name)), key=_first)),
        )
        for name, project in conversations.settings.projects.items()
    ]


def live(conversation: Conversation) -> Live:
    """Describe a conversation."""
    turn = conversation.turn
    waits_for = tuple(ticket.request.tool_name for ticket in conversation.waiting)
    doing: Doing = "waiting" if waits_for else "working" if turn else "idle" if conversation.running else "asleep"
    since = turn.record.started_at if turn else None
    record = conversation.record
    return Live(record.id, record.title, doing, waits_for, since, len(conversation.queue))


def midnight(now: float) -> float:
    """When this day began, where the bot is."""
    year, month, day, *_ = time.localtime(now)
    return time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))


def _first(each: Live) -> tuple[int, int]:
    return ("waiting", "working", "idle", "asleep").index(each.doing), each.thread
