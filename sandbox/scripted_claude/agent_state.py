"""The scripted agent's state between turns: session, permission mode, MCP servers and background tasks."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.scripted_claude.mcp_connection import McpConnection
from sandbox.scripted_claude.output import Output
from sandbox.scripted_claude.permission_policy import PermissionPolicy
from sandbox.scripted_claude.session_files import SessionFile
from sandbox.scripted_claude.tool_runner import ToolRunner
from sandbox.scripts.script import ClaudeScript


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    text: str
    images: int = 0
    automatic: bool = False
    """Whether the CLI wrote it, because a background task has finished."""
    replay: Mapping[str, Any] | None = None
    """The message and uuid that `--replay-user-messages` repeats when the prompt's turn starts."""


@dataclass
class AgentState:
    out: Output
    session: SessionFile
    choose: Callable[[str], ClaudeScript]
    """Choose the script for a prompt."""
    policy: PermissionPolicy
    tools: ToolRunner
    permission_tool: str | None
    """`mcp__SERVER__TOOL`"""
    model: str
    pace: float
    partial: bool
    retries: int
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    enqueue: Callable[[AgentPrompt], None]
    """Put a prompt in the queue."""
    servers: dict[str, McpConnection] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    background: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Task id -> the background task, as `background_tasks_changed` lists it."""

    def server_states(self) -> list[dict[str, Any]]:
        up = [{"name": name, "status": "connected", "source": "dynamic"} for name in self.servers]
        return [*up, *({"name": name, "status": "failed", "source": "dynamic"} for name in self.failed)]

    def change_mode(self, mode: str) -> None:
        self.policy.mode = mode
        self.out.mode(mode)
