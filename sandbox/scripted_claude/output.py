"""The lines that the agent writes to stdout, in the real CLI's form (see tests/recordings)."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO
from uuid import uuid4

from sandbox.scripted_claude.version import VERSION

TOOLS = ("Task", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode", "Read", "TodoWrite", "Write")
PRICE_IN, PRICE_OUT = 4e-6, 20e-6  # dollars a token
WINDOW = 200_000

Fields = dict[str, Any]


@dataclass
class TokenCount:
    """The tokens that a turn, or a whole run, has used."""

    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    @property
    def cost(self) -> float:
        return round(self.tokens_in * PRICE_IN + self.tokens_out * PRICE_OUT, 6)


@dataclass
class TurnSummary:
    """The figures for a turn's `result` line."""

    started: float = field(default_factory=time.monotonic)
    user_lines: int = 0
    """Number of `user` lines written; the CLI counts them as turns."""
    tokens: TokenCount = field(default_factory=TokenCount)
    denials: list[Fields] = field(default_factory=list)
    text: str = ""
    stop_reason: str | None = None


class Output:
    """Writes whole lines to stdout."""

    def __init__(self, session_id: str, stream: BinaryIO) -> None:
        self.session_id = session_id
        self.total = TokenCount()
        self._stream = stream
        self._results = 0

    def raw(self, text: str) -> None:
        self._stream.write(text.encode() + b"\n")
        self._stream.flush()

    def line(self, kind: str, **fields: Any) -> None:
        self.raw(json.dumps({"type": kind, "session_id": self.session_id, "uuid": str(uuid4()), **fields}))

    def system(self, subtype: str, **fields: Any) -> None:
        self.line("system", subtype=subtype, **fields)

    def init(self, *, cwd: str, model: str, mode: str, servers: Sequence[Fields]) -> None:
        self.system(
            "init",
            cwd=cwd,
            tools=list(TOOLS),
            mcp_servers=list(servers),
            model=model,
            permissionMode=mode,
            slash_commands=["compact", "context", "model"],
            apiKeySource="none",
            claude_code_version=VERSION,
            output_style="default",
            agents=["general-purpose"],
            skills=[],
            plugins=[],
        )

    def mode(self, mode: str) -> None:
        self.system("status", status=None, permissionMode=mode)

    def event(self, event: Mapping[str, Any]) -> None:
        self.line("stream_event", event=event, parent_tool_use_id=None)

    def assistant(self, message: Fields, parent: str | None = None, **more: Any) -> None:
        self.line("assistant", message=message, parent_tool_use_id=parent, timestamp=_now(), **more)

    def user(self, content: str | list[Fields], parent: str | None = None, **more: Any) -> None:
        message = {"role": "user", "content": content}
        self.line("user", message=message, parent_tool_use_id=parent, timestamp=_now(), **more)

    def replay(self, text: str) -> None:
        self.user(text, isReplay=True)

    def control(self, request_id: str, response: Fields | None = None) -> None:
        body = {"subtype": "success", "request_id": request_id, "response": response or {}}
        self.raw(json.dumps({"type": "control_response", "response": body}))

    def control_error(self, request_id: str, error: str, code: str) -> None:
        body = {"subtype": "error", "request_id": request_id, "error": error, "error_code": code}
        self.raw(json.dumps({"type": "control_response", "response": body}))

    def result(self, turn: TurnSummary, model: str, **ending: Any) -> None:
        """Write a turn's `result`; `ending` has `subtype`, `is_error`, `terminal_reason`, and `result` or `errors`."""
        self.total.add(turn.tokens.tokens_in, turn.tokens.tokens_out)
        spent = int((time.monotonic() - turn.started) * 1000)
        self.line(
            "result",
            **ending,
            duration_ms=spent,
            duration_api_ms=spent,
            num_turns=1 + turn.user_lines,
            stop_reason=turn.stop_reason,
            total_cost_usd=self.total.cost,
            usage=usage(turn.tokens),
            modelUsage={model: _model_usage(self.total)},
            permission_denials=turn.denials,
            result_index=self._results,
        )
        self._results += 1


def usage(tokens: TokenCount) -> Fields:
    return {
        "input_tokens": tokens.tokens_in,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": tokens.tokens_out,
        "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        "service_tier": "standard",
    }


def _model_usage(tokens: TokenCount) -> Fields:
    return {
        "inputTokens": tokens.tokens_in,
        "outputTokens": tokens.tokens_out,
        "cacheReadInputTokens": 0,
        "cacheCreationInputTokens": 0,
        "webSearchRequests": 0,
        "costUSD": tokens.cost,
        "contextWindow": WINDOW,
        "maxOutputTokens": 64_000,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
