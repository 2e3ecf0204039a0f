"""Events about tasks: the start, progress and end of subagents and background commands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskStarted:
    task_id: str
    tool_use_id: str
    description: str
    kind: str
    """`local_agent`, `local_bash`, …"""
    backgrounded: bool = False
    ambient: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgress:
    task_id: str
    tool_use_id: str
    description: str
    tool_uses: int
    summary: str = ""


@dataclass(frozen=True, slots=True)
class TaskUpdated:
    task_id: str
    status: str
    error: str = ""
    backgrounded: bool | None = None


@dataclass(frozen=True, slots=True)
class TaskEnded:
    task_id: str
    tool_use_id: str
    status: str
    """`completed`, `failed` or `stopped`."""
    summary: str
    tool_uses: int | None = None
    duration_ms: float | None = None
    ambient: bool = False


@dataclass(frozen=True, slots=True)
class BackgroundTask:
    task_id: str
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class BackgroundTasks:
    """All tasks that currently run in the background; replaces the previous list."""

    tasks: tuple[BackgroundTask, ...]
