"""Runs the tool uses of a turn: asks for permission, runs the tool, and writes its result."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sandbox.scripted_claude import background_tasks
from sandbox.scripted_claude.agent_state import AgentState
from sandbox.scripted_claude.output import TurnSummary
from sandbox.scripted_claude.permission_answer import AllowedUse, NoPermissionToolError, RefusedUse, ask
from sandbox.scripted_claude.permission_policy import PolicyVerdict
from sandbox.scripted_claude.tool_runner import ToolRunResult
from sandbox.scripts.script import Use, UseResult

PARALLEL = frozenset({"Agent", "Read", "Task"})
"""Tools that run in parallel, and ask for permission in parallel."""
REJECTED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
    "the new_string was NOT written to the file). "
    "STOP what you are doing and wait for the user to tell you how to proceed."
)


class StoppedByPerson(Exception):  # noqa: N818 - a person's decision, not an error
    """A person refused the tool use and stopped the turn."""


class ToolUses:
    """The tool uses of one turn."""

    def __init__(self, state: AgentState, turn: TurnSummary) -> None:
        self.state = state
        self.turn = turn
        self.pending: dict[str, tuple[Use, str | None]] = {}
        """Uses without a result yet, each with the tool use of the subagent that it belongs to."""

    async def run(self, uses: Mapping[str, Use], parent: str | None = None) -> tuple[UseResult, ...]:
        """Run tool uses, one after another unless they may run in parallel; results keep the order."""
        self.pending |= {use_id: (use, parent) for use_id, use in uses.items()}
        done: dict[str, ToolRunResult] = {}

        async def one(use_id: str) -> None:
            done[use_id] = await self._one(use_id, uses[use_id], parent)

        for parallel, ids in groupby(uses, lambda use_id: uses[use_id].tool in PARALLEL):
            if parallel:
                await _in_parallel([one(use_id) for use_id in ids])
            else:
                for use_id in ids:
                    await one(use_id)
        return tuple(UseResult(done[use_id].text, done[use_id].is_error) for use_id in uses)

    def reject(self) -> None:
        """Report every use without a result as stopped."""
        for use_id, (use, parent) in self.pending.items():
            self._note_denial(use_id, use)
            meta = [{"id": use_id, "non_execution_kind": "user-rejected"}]
            self._report(
                use_id, ToolRunResult(REJECTED, is_error=True, structured="User rejected tool use"), parent, meta
            )
        self.pending.clear()

    async def _one(self, use_id: str, use: Use, parent: str | None) -> ToolRunResult:
        answer = await self._ask(use_id, use)
        if isinstance(answer, RefusedUse):
            if answer.interrupt:
                raise StoppedByPerson
            self._note_denial(use_id, use)
            done, decision = ToolRunResult.error(answer.message), {"decision": "reject", "source": answer.source}
            meta = [{"id": use_id, "non_execution_kind": "permission-rule", "permission_decision": decision}]
        else:
            done = await self._run(use_id, use.tool, answer)
            decision = {"decision": "accept", "source": answer.source}
            meta = [{"id": use_id, "permission_decision": decision}]
        del self.pending[use_id]
        self._report(use_id, done, parent, meta)
        return done

    async def _ask(self, use_id: str, use: Use) -> AllowedUse | RefusedUse:
        match self.state.policy.check(use.tool, use.input):
            case PolicyVerdict.ALLOW:
                return AllowedUse(use.input, source="config")
            case PolicyVerdict.REFUSE:
                return RefusedUse(
                    f"Permission to use {use.tool} has been denied because Claude Code is in don't ask mode."
                )
            case PolicyVerdict.ASK:
                name = self.state.permission_tool
                if name is None:
                    return RefusedUse(
                        f"Claude requested permissions to use {use.tool}, but you haven't granted it yet."
                    )
                _, server_name, tool = name.split("__", 2)
                server = self.state.servers.get(server_name)
                if server is None or tool not in server.tools:
                    known = [f"mcp__{at}__{tool}" for at, each in self.state.servers.items() for tool in each.tools]
                    raise NoPermissionToolError(name, tuple(known))
                given = {key: self._expanded(key, value) for key, value in use.input.items()}
                request = {"tool_name": use.tool, "input": given, "tool_use_id": use_id}
                return await ask(server, tool, request)

    def _expanded(self, key: str, value: Any) -> Any:
        """Expand a path as the CLI does before it asks."""
        if key != "file_path" or not isinstance(value, str):
            return value
        return str(self.state.policy.cwd / (os.path.expanduser(value) if value.startswith("~/") else value))  # noqa: PTH111

    async def _run(self, use_id: str, tool: str, allowed: AllowedUse) -> ToolRunResult:
        mode = self.state.policy.apply_updates(list(allowed.updates))
        if mode is not None and tool != "ExitPlanMode":
            self.state.out.mode(mode)
        match tool, allowed.input:
            case "ExitPlanMode", input_:
                self.state.change_mode(mode or "default")
                return _approved(input_)
            case (("Agent" | "Task"), input_):
                return await background_tasks.run_subagent(self, use_id, input_)
            case "Bash", {"run_in_background": True, **command}:
                return background_tasks.run_command(self.state, use_id, command)
            case _, input_:
                return await self.state.tools.run(tool, input_)

    def _note_denial(self, use_id: str, use: Use) -> None:
        self.turn.denials.append({"tool_name": use.tool, "tool_use_id": use_id, "tool_input": dict(use.input)})

    def _report(self, use_id: str, done: ToolRunResult, parent: str | None, meta: list[dict[str, Any]]) -> None:
        if parent is None:
            self.turn.user_lines += 1
        result = {"tool_use_id": use_id, "type": "tool_result", "content": done.text, "is_error": done.is_error}
        self.state.out.user([result], parent, tool_use_result=done.structured, tool_result_meta=meta)


async def _in_parallel(coroutines: Sequence[Any]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for coroutine in coroutines:
                group.create_task(coroutine)
    except* StoppedByPerson:
        raise StoppedByPerson from None
    except* NoPermissionToolError as missing:
        raise missing.exceptions[0] from None


def _approved(input_: Mapping[str, Any]) -> ToolRunResult:
    plan = input_.get("plan")
    if not plan:
        return ToolRunResult("User has approved exiting plan mode. You can now proceed.", structured={"plan": None})
    text = f"User has approved your plan. You can now start coding.\n\n## Approved Plan:\n{plan}"
    return ToolRunResult(text, structured={"plan": plan, "isAgent": False, "filePath": input_.get("planFilePath")})
