"""A turn of the scripted agent, from a prompt to its `result`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from uuid import uuid4

from sandbox.messages_api import event_stream
from sandbox.scripted_claude.agent_state import AgentPrompt, AgentState
from sandbox.scripted_claude.message_stream import MessageStream
from sandbox.scripted_claude.output import TurnSummary
from sandbox.scripted_claude.tool_calls import ToolUses
from sandbox.scripts.script import Block, Break, Fail, StepContext

ERRORS = {401: "authentication_failed", 429: "rate_limit", 529: "overloaded", None: "unknown"}
CONNECTION_LOST = Fail(0, "Connection error.", "connection_error")


class ScriptedTurn:
    """Answers one prompt with the script that it chooses."""

    def __init__(self, state: AgentState, prompt: AgentPrompt) -> None:
        self.state = state
        self.turn = TurnSummary()
        self.prompt = prompt
        self._messages = MessageStream(state, self.turn)
        self._tool_uses = ToolUses(state, self.turn)

    async def play(self) -> None:
        """Play the whole script."""
        state = self.state
        seen = StepContext(self.prompt.text, earlier=state.session.prompts(), images=self.prompt.images)
        if not self.prompt.automatic:
            state.session.add("user", self.prompt.text)
        state.out.init(
            cwd=str(state.tools.cwd), model=state.model, mode=state.policy.mode, servers=state.server_states()
        )
        if self.prompt.replay is not None:
            state.out.line("user", **self.prompt.replay, parent_tool_use_id=None, isReplay=True)
        play = state.choose(self.prompt.text)
        for step in count():
            state.out.system("status", status="requesting")
            blocks = play.at(step, seen)
            failure = self._retry(blocks)
            if failure is not None:
                self._give_up(failure)
                return
            uses = await self._messages.stream(blocks)
            if not uses:
                break
            seen = replace(seen, outcomes=await self._tool_uses.run(uses))
        self._end(subtype="success", is_error=False, terminal_reason="completed", result=self.turn.text)

    def stop(self) -> None:
        """Report that a person stopped the turn; called after `play` has ended."""
        in_tools = bool(self._tool_uses.pending)
        self._tool_uses.reject()
        text = "[Request interrupted by user for tool use]" if in_tools else "[Request interrupted by user]"
        self.turn.user_lines += 1
        self.state.out.user([{"type": "text", "text": text}])
        self._messages.break_off()
        self._end(
            subtype="error_during_execution",
            is_error=True,
            terminal_reason="aborted_tools" if in_tools else "aborted_streaming",
            errors=["[ede_diagnostic] result_type=user last_content_type=n/a"],
        )

    def _retry(self, blocks: Sequence[Block]) -> Fail | None:
        """Retry a failing step as the CLI does; return the failure if it persists."""
        for block in blocks:
            if not isinstance(block, Fail | Break):
                continue
            fail = block if isinstance(block, Fail) else replace(CONNECTION_LOST, times=block.times)
            lasting = fail.times is None or fail.times > self.state.retries
            if fail.status == 400 and lasting:
                return fail
            for attempt in range(1, (self.state.retries if lasting else fail.times or 0) + 1):
                self.state.out.system(
                    "api_retry",
                    attempt=attempt,
                    max_retries=self.state.retries,
                    retry_delay_ms=0,
                    error_status=fail.status or None,
                    error=ERRORS.get(fail.status or None, "server_error"),
                )
            if lasting:
                return fail
        return None

    def _give_up(self, fail: Fail) -> None:
        text, reason = _explained(fail)
        message = {**event_stream.message(str(uuid4()), "<synthetic>", 0), "content": [{"type": "text", "text": text}]}
        self.turn.stop_reason = message["stop_reason"] = "stop_sequence"
        self.state.out.assistant(
            message, is_api_error_message=True, error=ERRORS.get(fail.status or None, "server_error")
        )
        # The real CLI says "success" here too; only `is_error` shows the failure.
        self._end(
            subtype="success", is_error=True, terminal_reason=reason, result=text, api_error_status=fail.status or None
        )

    def _end(self, **ending: object) -> None:
        self.state.out.result(self.turn, self.state.model, **ending)


def _explained(fail: Fail) -> tuple[str, str]:
    match fail.status:
        case 401:
            return "Not logged in · Please run /login", "api_error"
        case 400 if "too long" in fail.message:
            return "Prompt is too long", "prompt_too_long"
        case 429:
            return f"API Error: Request rejected (429) · {fail.message}", "api_error"
        case 529:
            return (
                "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
                "api_error",
            )
        case 0:
            return "API Error: Connection error.", "api_error"
        case status:
            return f"API Error: {status} {fail.message}", "api_error"
