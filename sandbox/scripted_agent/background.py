"""What goes on beside a turn, and after it: subagents and background commands."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sandbox import api_stream
from sandbox.script import Say, StepContext, Use
from sandbox.scripted_agent.agent_state import AgentPrompt, AgentState
from sandbox.scripted_agent.message_stream import play_silent_block
from sandbox.scripted_agent.tools import ToolRunResult

if TYPE_CHECKING:
    from sandbox.scripted_agent.tool_use import ToolUses

Fields = dict[str, Any]


async def run_subagent(hands: ToolUses, use_id: str, input_: Mapping[str, Any]) -> ToolRunResult:
    """Start a subagent: wait for its report, or let it go on by itself."""
    mind = hands.mind
    task = _Task(mind, use_id, input_["description"], "local_agent")
    if input_.get("run_in_background", True):
        task.start(background=True, prompt=input_["prompt"])

        async def live() -> None:
            # A subagent that outlives the turn has uses of its own: stopping the turn doesn't reject them.
            own = type(hands)(mind, replace(hands.turn))
            task.finish(await _work(own, use_id, input_, silent=False))

        mind.spawn(live())
        return ToolRunResult(
            "Async agent launched successfully.", structured={"isAsync": True, "status": "async_launched"}
        )
    task.start(background=False, prompt=input_["prompt"])
    more = {"agent_id": task.id, "subagent_type": "general-purpose", "task_description": input_["description"]}
    mind.out.user([{"type": "text", "text": input_["prompt"]}], use_id, **more)
    report = await _work(hands, use_id, input_, silent=True)
    task.finish(report)
    structured = {"status": "completed", "prompt": input_["prompt"], "content": [{"type": "text", "text": report}]}
    return ToolRunResult(report, structured=structured)


def run_command(mind: AgentState, use_id: str, input_: Mapping[str, Any]) -> ToolRunResult:
    """Start a command that may outlive the turn."""
    task = _Task(mind, use_id, input_.get("description", input_["command"]), "local_bash")
    task.start(background=True)

    async def live() -> None:
        done = await mind.workshop.bash(input_)
        task.finish(f'Background command "{task.description}" completed (exit code 0)', failed=done.is_error)

    mind.spawn(live())
    text = f"Command running in background with ID: {task.id}. You will be notified when it completes."
    structured = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": task.id}
    return ToolRunResult(text, structured=structured)


async def _work(hands: ToolUses, parent: str, input_: Mapping[str, Any], *, silent: bool) -> str:
    """Play a subagent's script; one that the turn waits for shows only its tools."""
    mind = hands.mind
    seen = StepContext(input_["prompt"])
    play = mind.choose(seen.prompt)
    for step in count():
        text, uses = "", dict[str, Use]()
        for block in play.at(step, seen):
            match block:
                case Say(text) if not silent:
                    _show(mind, api_stream.content(block, ""), parent)
                case Say(text):
                    pass
                case Use():
                    use_id = f"toolu_{uuid4().hex[:24]}"
                    uses[use_id] = block
                    _show(mind, api_stream.content(block, use_id), parent)
                case _:
                    await play_silent_block(mind, block)
        if not uses:
            return text
        seen = replace(seen, outcomes=await hands.use(uses, parent))
    raise AssertionError


def _show(mind: AgentState, block: Fields, parent: str) -> None:
    message = api_stream.message(f"msg_{uuid4().hex[:24]}", mind.model, 1)
    mind.out.assistant({**message, "content": [block]}, parent, subagent_type="general-purpose")


class _Task:
    """A task as the CLI tells of it."""

    def __init__(self, mind: AgentState, use_id: str, description: str, kind: str) -> None:
        self.id = uuid4().hex[:9]
        self.description = description
        self._mind = mind
        self._use_id = use_id
        self._kind = kind
        self._began = time.monotonic()

    def start(self, *, background: bool, **more: Any) -> None:
        if background:
            entry = {"task_id": self.id, "task_type": self._kind, "description": self.description}
            self._mind.background[self.id] = entry
            self._changed()
        self._mind.out.system(
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
        out = self._mind.out
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
        if self._mind.background.pop(self.id, None) is not None:
            self._changed()
            inner = f"<task-id>{self.id}</task-id>\n<status>{status}</status>\n<summary>{summary}</summary>"
            self._mind.say(AgentPrompt(f"<task-notification>\n{inner}\n</task-notification>", by_itself=True))

    def _changed(self) -> None:
        self._mind.out.system("background_tasks_changed", tasks=list(self._mind.background.values()))
