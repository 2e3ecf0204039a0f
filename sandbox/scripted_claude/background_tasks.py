"""Subagents and background commands, which may outlive their turn."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sandbox.messages_api import event_stream
from sandbox.scripted_claude.agent_state import AgentPrompt, AgentState
from sandbox.scripted_claude.message_stream import play_silent_block
from sandbox.scripted_claude.tool_runner import ToolRunResult
from sandbox.scripts.script import Say, StepContext, Use

if TYPE_CHECKING:
    from sandbox.scripted_claude.tool_calls import ToolUses

Fields = dict[str, Any]


async def run_subagent(tool_uses: ToolUses, use_id: str, input_: Mapping[str, Any]) -> ToolRunResult:
    """Start a subagent, and wait for its report unless it runs in the background."""
    state = tool_uses.state
    task = _BackgroundTask(state, use_id, input_["description"], "local_agent")
    if input_.get("run_in_background", True):
        task.start(background=True, prompt=input_["prompt"])

        async def run() -> None:
            # The subagent has its own tool uses, so that stopping the turn doesn't reject them.
            own = type(tool_uses)(state, replace(tool_uses.turn))
            task.finish(await _play_subagent(own, use_id, input_, silent=False))

        state.spawn(run())
        return ToolRunResult(
            "Async agent launched successfully.", structured={"isAsync": True, "status": "async_launched"}
        )
    task.start(background=False, prompt=input_["prompt"])
    more = {"agent_id": task.id, "subagent_type": "general-purpose", "task_description": input_["description"]}
    state.out.user([{"type": "text", "text": input_["prompt"]}], use_id, **more)
    report = await _play_subagent(tool_uses, use_id, input_, silent=True)
    task.finish(report)
    structured = {"status": "completed", "prompt": input_["prompt"], "content": [{"type": "text", "text": report}]}
    return ToolRunResult(report, structured=structured)


def run_command(state: AgentState, use_id: str, input_: Mapping[str, Any]) -> ToolRunResult:
    """Start a background command, which may outlive the turn."""
    task = _BackgroundTask(state, use_id, input_.get("description", input_["command"]), "local_bash")
    task.start(background=True)

    async def run() -> None:
        done = await state.tools.bash(input_)
        task.finish(f'Background command "{task.description}" completed (exit code 0)', failed=done.is_error)

    state.spawn(run())
    text = f"Command running in background with ID: {task.id}. You will be notified when it completes."
    structured = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": task.id}
    return ToolRunResult(text, structured=structured)


async def _play_subagent(tool_uses: ToolUses, parent: str, input_: Mapping[str, Any], *, silent: bool) -> str:
    """Play a subagent's script and return its last text; if the turn waits for it, only its tools are shown."""
    state = tool_uses.state
    seen = StepContext(input_["prompt"])
    play = state.choose(seen.prompt)
    for step in count():
        text, uses = "", dict[str, Use]()
        for block in play.at(step, seen):
            match block:
                case Say(text) if not silent:
                    _show(state, event_stream.content(block, ""), parent)
                case Say(text):
                    pass
                case Use():
                    use_id = f"toolu_{uuid4().hex[:24]}"
                    uses[use_id] = block
                    _show(state, event_stream.content(block, use_id), parent)
                case _:
                    await play_silent_block(state, block)
        if not uses:
            return text
        seen = replace(seen, outcomes=await tool_uses.run(uses, parent))
    raise AssertionError


def _show(state: AgentState, block: Fields, parent: str) -> None:
    message = event_stream.message(f"msg_{uuid4().hex[:24]}", state.model, 1)
    state.out.assistant({**message, "content": [block]}, parent, subagent_type="general-purpose")


class _BackgroundTask:
    """A background task, as the CLI reports it."""

    def __init__(self, state: AgentState, use_id: str, description: str, kind: str) -> None:
        self.id = uuid4().hex[:9]
        self.description = description
        self._state = state
        self._use_id = use_id
        self._kind = kind
        self._began = time.monotonic()

    def start(self, *, background: bool, **more: Any) -> None:
        if background:
            entry = {"task_id": self.id, "task_type": self._kind, "description": self.description}
            self._state.background[self.id] = entry
            self._changed()
        self._state.out.system(
            "task_started",
            task_id=self.id,
            tool_use_id=self._use_id,
            description=self.description,
            is_backgrounded=background,
            task_type=self._kind,
            **more,
        )

    def finish(self, summary: str, *, failed: bool = False) -> None:
        status = "failed" if failed else "completed"
        out = self._state.out
        out.system("task_updated", task_id=self.id, patch={"status": status})
        spent = int((time.monotonic() - self._began) * 1000)
        out.system(
            "task_notification",
            task_id=self.id,
            tool_use_id=self._use_id,
            status=status,
            summary=summary,
            usage={"total_tokens": 100, "tool_uses": 1, "duration_ms": spent},
        )
        if self._state.background.pop(self.id, None) is not None:
            self._changed()
            inner = f"<task-id>{self.id}</task-id>\n<status>{status}</status>\n<summary>{summary}</summary>"
            self._state.enqueue(AgentPrompt(f"<task-notification>\n{inner}\n</task-notification>", automatic=True))

    def _changed(self) -> None:
        self._state.out.system("background_tasks_changed", tasks=list(self._state.background.values()))
