"""The scripted agent's state between turns: its session, its mode, its tools, and what goes on in the background."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.script import ClaudeScript
from sandbox.scripted_agent.output import Output
from sandbox.scripted_agent.permission_policy import PermissionPolicy
from sandbox.scripted_agent.permission_tool import McpConnection
from sandbox.scripted_agent.session_files import SessionFile
from sandbox.scripted_agent.tools import ToolRunner


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    text: str
    images: int = 0
    by_itself: bool = False
    """The CLI said it, not a person: something in the background has finished."""
    replay: Mapping[str, Any] | None = None
    """What `--replay-user-messages` repeats when the prompt is taken: its message, and its uuid."""


@dataclass
class AgentState:
    out: Output
    session: SessionFile
    choose: Callable[[str], ClaudeScript]
    """Which script a prompt asks for."""
    policy: PermissionPolicy
    workshop: ToolRunner
    permission_tool: str | None
    """`mcp__SERVER__TOOL`"""
    model: str
    pace: float
    partial: bool
    retries: int
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    say: Callable[[AgentPrompt], None]
    """Put a prompt in the queue."""
    servers: dict[str, McpConnection] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    background: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What goes on after a result, by task id, as `background_tasks_changed` lists it."""

    def server_states(self) -> list[dict[str, Any]]:
        up = [{"name": name, "status": "connected", "source": "dynamic"} for name in self.servers]
        return [*up, *({"name": name, "status": "failed", "source": "dynamic"} for name in self.failed)]

    def change_mode(self, mode: str) -> None:
        self.policy.mode = mode
        self.out.mode(mode)
