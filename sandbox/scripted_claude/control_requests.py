"""Responds to the control requests that the bot writes to the agent's stdin."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.scripted_claude.agent_state import AgentState
from sandbox.scripted_claude.output import WINDOW
from sandbox.scripted_claude.permission_policy import MODES
from sandbox.scripted_claude.version import VERSION


def respond(state: AgentState, request_id: str, request: Mapping[str, Any], interrupt: Callable[[], None]) -> None:
    """Carry out a control request and respond to it; `interrupt` stops the turn."""
    out = state.out
    match request:
        case {"subtype": "interrupt"}:
            out.control(request_id, {"still_queued": []})
            interrupt()
        case {"subtype": "set_permission_mode", "mode": mode} if mode in MODES:
            out.control(request_id, {"mode": mode})
            state.change_mode(mode)
        case {"subtype": "set_permission_mode"}:
            error = f"Cannot set permission mode: must be one of {', '.join(MODES)}"
            out.control_error(request_id, error, "invalid_mode")
        case {"subtype": "set_model", "model": model}:
            state.model = model
            out.replay(f"<local-command-stdout>Set model to `{model}`</local-command-stdout>")
            out.control(request_id, {"model": model})
        case {"subtype": "apply_flag_settings", "settings": dict(settings)}:
            state.policy.set_flags((settings.get("permissions") or {}).get("allow") or [])
            out.control(request_id, {})
        case {"subtype": "initialize"}:
            out.control(request_id, _initialization(state))
        case {"subtype": "get_context_usage"}:
            out.control(request_id, _context_usage(state))
        case {"subtype": subtype}:
            error = f"Unsupported control request subtype: {subtype}"
            out.control_error(request_id, error, "unsupported_request")


def _initialization(state: AgentState) -> dict[str, Any]:
    return {
        "commands": [{"name": "compact", "description": "Free up context", "argumentHint": "<instructions>"}],
        "agents": [{"name": "general-purpose", "description": "Plays a script of its own"}],
        "output_style": "default",
        "models": [{"value": "default", "displayName": "Scripted", "description": "Plays a script"}],
        "account": {"tokenSource": "none", "apiKeySource": "none"},
        "pid": os.getpid(),
        "claude_code_version": VERSION,
        "current_permission_mode": state.policy.mode,
    }


def _context_usage(state: AgentState) -> dict[str, Any]:
    used = state.out.total.tokens_in
    return {
        "categories": [{"name": "Messages", "tokens": used}],
        "totalTokens": used,
        "maxTokens": WINDOW,
        "percentage": round(100 * used / WINDOW),
        "model": state.model,
    }
