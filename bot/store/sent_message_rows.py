"""How a sent message is written in its row of the state file, so that every version reads it alike.

A message id of 0 or less: the message does not stand in Discord. An empty digest: what Discord shows is in doubt.
"""

from typing import Any

from bot.sent_message import (
    AnsweringClick,
    Deleted,
    Editing,
    InDoubt,
    MessageState,
    Missing,
    Sending,
    SentMessage,
    Standing,
)

_EDITING = "!"
"""In place of a digest."""
_ANSWERING = "~"
"""Before a digest."""
_DELETED = "deleted"
"""In place of a digest: older versions left the last one there."""

IN_DOUBT = "digest = ''"
"""What a bot that died may have left half done."""
AFTER_A_CRASH = f"UPDATE standing SET digest = '' WHERE digest = '{_EDITING}' OR digest LIKE '{_ANSWERING}%'"  # noqa: S608
"""What was on its way to Discord when the last bot died: it did not live to tell whether it arrived."""


def to_row(sent: SentMessage) -> dict[str, Any]:
    message, digest = _columns(sent.state)
    return {"view": sent.view, "key": sent.key, "channel": sent.channel, "message": message, "digest": digest}


def from_row(row: dict[str, Any]) -> SentMessage:
    return SentMessage(row["view"], row["key"], row["channel"], _state(row["message"], row["digest"]))


def _columns(state: MessageState) -> tuple[int, str]:
    match state:
        case Standing(message, digest):
            pass
        case Editing(message):
            digest = _EDITING
        case AnsweringClick(message, looks):
            digest = _ANSWERING + looks
        case InDoubt(message):
            digest = ""
        case Sending(replaces):
            message, digest = -replaces, ""
        case Missing(lost):
            message, digest = -lost, _DELETED
        case Deleted():
            message, digest = 0, _DELETED
    return message, digest


def _state(message: int, digest: str) -> MessageState:
    if not digest:
        return InDoubt(message) if message > 0 else Sending(-message)
    if message <= 0:
        return Missing(-message) if message else Deleted()
    if digest == _EDITING:
        return Editing(message)
    if digest.startswith(_ANSWERING):
        return AnsweringClick(message, digest.removeprefix(_ANSWERING))
    return Standing(message, digest)
