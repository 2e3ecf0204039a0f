"""Converts a sent message to and from its row in the state file; every version must read rows the same way.

A message id of 0 or less: the message is not in Discord. An empty digest: it is unknown what Discord shows.
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
"""Stored instead of a digest."""
_ANSWERING = "~"
"""Prefix of a digest."""
_DELETED = "deleted"
"""Stored instead of a digest; older versions left the last digest there."""

IN_DOUBT = "digest = ''"
"""Messages that a crashed bot may have left half sent."""
AFTER_A_CRASH = f"UPDATE standing SET digest = '' WHERE digest = '{_EDITING}' OR digest LIKE '{_ANSWERING}%'"  # noqa: S608
"""Marks the messages that were being sent when the bot crashed: it is unknown whether they arrived."""


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
