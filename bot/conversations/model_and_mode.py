"""How Claude works in one thread: the model, the effort and the mode that were chosen there."""

import time

from bot.audit_log import Entry
from bot.config import UNGUARDED, Choices, Effort, PermissionMode
from bot.conversations.conversation import Conversation
from bot.conversations.launch import cli_mode
from bot.errors import ClaudeError
from bot.projects.setting_changes import NOT_ALLOWED
from bot.render.turns.footer import model_name

MODES: dict[PermissionMode, str] = {
    "default": "asks before it acts",
    "acceptEdits": "edits the project's files without asking, asks for the rest",
    "plan": "only plans, and changes nothing",
    "dontAsk": "does only what the configuration allows, and asks nobody",
    "auto": "Claude judges by itself what to ask about",
    "bypassPermissions": "asks nobody about anything",
}
FROM_NEXT = "from the next message on"


async def choose_model(conversation: Conversation, model: str | None, by: int) -> str:
    """Have this thread use a model; None is the project's."""
    _keep(conversation, by, "model", model)
    wanted = conversation.room.project.model or "default"
    name = "the project's" if model is None else model_name(model)
    if conversation.running is None or not conversation.running.listens:
        return f"Model: **{name}**, {FROM_NEXT}."
    try:
        await conversation.running.control("set_model", model=wanted)
    except ClaudeError as error:
        return f"Claude did not take the model **{name}**: {error}"
    return f"Model: **{name}**."


async def choose_effort(conversation: Conversation, effort: Effort | None, by: int) -> str:
    """Have this thread think more, or less; None is the project's."""
    _keep(conversation, by, "effort", effort)
    conversation.refresh()  # the CLI takes it only at its start
    return f"Effort: **{effort or 'the project’s'}**, {FROM_NEXT}."


async def choose_mode(conversation: Conversation, mode: PermissionMode, by: int) -> str:
    """Have this thread ask about more, or about less."""
    project = conversation.room.project
    if mode in UNGUARDED and not project.allow_bypass:
        return NOT_ALLOWED
    _keep(conversation, by, "permission_mode", mode)
    told = f"Mode: **{mode}** — Claude {MODES[mode]}" if mode != "auto" else f"Mode: **{mode}** — {MODES[mode]}"
    if conversation.running is None or not conversation.running.listens:
        return f"{told}, {FROM_NEXT}."
    try:
        await conversation.running.control("set_permission_mode", mode=cli_mode(mode))
    except ClaudeError:  # some modes have to be there from the start
        conversation.refresh()
        return f"{told}, {FROM_NEXT}."
    return f"{told}."


def _keep(conversation: Conversation, by: int, setting: str, chosen: str | None) -> None:
    record = conversation.record
    conversation.choose(Choices.model_validate(record.own.chosen() | {setting: chosen}))
    note = f"{chosen or 'nothing'} for this thread"
    entry = Entry(time.time(), record.project, record.id, setting, "changed", "command", by, note=note)
    conversation.room.store.record(entry)
