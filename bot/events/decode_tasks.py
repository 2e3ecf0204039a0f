"""Decodes events about tasks: subagents and background commands."""

from bot.events.fields import Raw, integer, mapping, mappings, number, string
from bot.events.task_events import BackgroundTask, BackgroundTasks, TaskEnded, TaskProgress, TaskStarted, TaskUpdated


def task_started(raw: Raw) -> TaskStarted:
    return TaskStarted(
        task_id=string(raw, "task_id"),
        tool_use_id=string(raw, "tool_use_id"),
        description=string(raw, "description"),
        kind=string(raw, "task_type"),
        backgrounded=raw.get("is_backgrounded") is True,
        ambient=_ambient(raw),
    )


def _ambient(raw: Raw) -> bool:
    return raw.get("ambient") is True or raw.get("skip_transcript") is True


def task_progress(raw: Raw) -> TaskProgress:
    return TaskProgress(
        task_id=string(raw, "task_id"),
        tool_use_id=string(raw, "tool_use_id"),
        description=string(raw, "description"),
        tool_uses=integer(mapping(raw, "usage"), "tool_uses"),
        summary=string(raw, "summary"),
    )


def task_updated(raw: Raw) -> TaskUpdated:
    patch = mapping(raw, "patch")
    moved = patch.get("is_backgrounded")
    return TaskUpdated(
        task_id=string(raw, "task_id"),
        status=string(patch, "status"),
        error=string(patch, "error"),
        backgrounded=moved if isinstance(moved, bool) else None,
    )


def task_ended(raw: Raw) -> TaskEnded:
    usage = mapping(raw, "usage")
    return TaskEnded(
        task_id=string(raw, "task_id"),
        tool_use_id=string(raw, "tool_use_id"),
        status=string(raw, "status"),
        summary=string(raw, "summary"),
        tool_uses=integer(usage, "tool_uses") if usage else None,
        duration_ms=number(usage, "duration_ms"),
        ambient=_ambient(raw),
    )


def background_tasks(raw: Raw) -> BackgroundTasks:
    return BackgroundTasks(
        tuple(
            BackgroundTask(string(task, "task_id"), string(task, "task_type"), string(task, "description"))
            for task in mappings(raw, "tasks")
            if not _ambient(task)
        )
    )
