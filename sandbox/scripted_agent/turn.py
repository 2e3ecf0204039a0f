"""A turn: from a prompt to a `result`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from uuid import uuid4

from sandbox import api_stream
from sandbox.script import Block, Break, Fail, StepContext
from sandbox.scripted_agent.agent_state import AgentPrompt, AgentState
from sandbox.scripted_agent.message_stream import MessageStream
from sandbox.scripted_agent.output import TurnSummary
from sandbox.scripted_agent.tool_use import ToolUses

ERRORS = {401: "authentication_failed", 429: "rate_limit", 529: "overloaded", None: "unknown"}
LOST = Fail(0, "Connection error.", "connection_error")


class ScriptedTurn:
    """A prompt being answered."""

    def __init__(self, mind: AgentState, prompt: AgentPrompt) -> None:
        self.mind = mind
        self.turn = TurnSummary()
        self.prompt = prompt
        self._voice = MessageStream(mind, self.turn)
        self._hands = ToolUses(mind, self.turn)

    async def play(self) -> None:
        """Play the script that the prompt chooses, to its end."""
        mind = self.mind
        seen = StepContext(self.prompt.text, earlier=mind.session.prompts(), images=self.prompt.images)
        if not self.prompt.by_itself:
            mind.session.add("user", self.prompt.text)
        mind.out.init(cwd=str(mind.workshop.cwd), model=mind.model, mode=mind.policy.mode, servers=mind.server_states())
        if self.prompt.replay is not None:
            mind.out.line("user", **self.prompt.replay, parent_tool_use_id=None, isReplay=True)
        play = mind.choose(self.prompt.text)
        for step in count():
            mind.out.system("status", status="requesting")
            blocks = play.at(step, seen)
            failure = self._retry(blocks)
            if failure is not None:
                self._give_up(failure)
                return
            uses = await self._voice.speak(blocks)
            if not uses:
                break
            seen = replace(seen, outcomes=await self._hands.use(uses))
        self._end(subtype="success", is_error=False, terminal_reason="completed", result=self.turn.text)

    def stop(self) -> None:
        """Say that a person stopped the turn; `play` must have ended."""
        in_tools = bool(self._hands.pending)
        self._hands.reject()
        text = "[Request interrupted by user for tool use]" if in_tools else "[Request interrupted by user]"
        self.turn.heard += 1
        self.mind.out.user([{"type": "text", "text": text}])
        self._voice.break_off()
        self._end(
            subtype="error_during_execution",
            is_error=True,
            terminal_reason="aborted_tools" if in_tools else "aborted_streaming",
            errors=["[ede_diagnostic] result_type=user last_content_type=n/a"],
        )

    def _retry(self, blocks: Sequence[Block]) -> Fail | None:
        """Go through the failures that stand in a step, as the CLI does; gives the one that can't be got over."""
        for block in blocks:
            if not isinstance(block, Fail | Break):
                continue
            fail = block if isinstance(block, Fail) else replace(LOST, times=block.times)
            lasting = fail.times is None or fail.times > self.mind.retries
            if fail.status == 400 and lasting:
                return fail
            for attempt in range(1, (self.mind.retries if lasting else fail.times or 0) + 1):
                self.mind.out.system(
                    "api_retry",
                    attempt=attempt,
                    max_retries=self.mind.retries,
                    retry_delay_ms=0,
                    error_status=fail.status or None,
                    error=ERRORS.get(fail.status or None, "server_error"),
                )
            if lasting:
                return fail
        return None

    def _give_up(self, fail: Fail) -> None:
        text, reason = _explained(fail)
        message = {**api_stream.message(str(uuid4()), "<synthetic>", 0), "content": [{"type": "text", "text": text}]}
        self.turn.stop_reason = message["stop_reason"] = "stop_sequence"
        self.mind.out.assistant(
            message, is_api_error_message=True, error=ERRORS.get(fail.status or None, "server_error")
        )
        # The real CLI says "success" here too; `is_error` is what tells.
        self._end(
            subtype="success", is_error=True, terminal_reason=reason, result=text, api_error_status=fail.status or None
        )

    def _end(self, **ending: object) -> None:
        self.mind.out.result(self.turn, self.mind.model, **ending)


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
