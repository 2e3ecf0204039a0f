"""Checks request bodies and turns them into drafts and edits."""

from sandbox.discord.errors import invalid
from sandbox.discord.state.entities import DiscordChannel, DiscordMessage, Json, MessageFlag, Upload
from sandbox.discord.state.messages import MessageDraft, MessageEdit
from sandbox.discord.validation.body_shapes import is_snowflake
from sandbox.discord.validation.fields import Path
from sandbox.discord.validation.message_limits import check_message

_SENDABLE = (
    MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.COMPONENTS_V2 | MessageFlag.EPHEMERAL
)


def draft(body: Json, files: dict[int, Upload], channel: DiscordChannel, at: Path = ()) -> MessageDraft:
    """Parse a new message."""
    check_message(body, files, at=at)
    return MessageDraft(
        content=(body.get("content") or "").strip(),
        embeds=tuple(body.get("embeds") or ()),
        components=tuple(body.get("components") or ()),
        uploads=_uploads(body, files),
        flags=MessageFlag(body.get("flags") or 0) & _SENDABLE,
        allowed_mentions=_allowed_mentions(body),
        reply_to=_replied_to(body, channel),
        nonce=body.get("nonce"),
        enforce_nonce=bool(body.get("enforce_nonce")),
        tts=bool(body.get("tts")),
    )


def edit(body: Json, files: dict[int, Upload], before: DiscordMessage, at: Path = ()) -> MessageEdit:
    """Parse an edit of a message: absent fields stay unchanged, null fields are cleared."""
    check_message(body, files, before=before, at=at)
    kept = None
    if "attachments" in body:
        kept = frozenset(int(each["id"]) for each in body["attachments"] or ())
    return MessageEdit(
        content=(body["content"] or "").strip() if "content" in body else None,
        embeds=tuple(body["embeds"] or ()) if "embeds" in body else None,
        components=tuple(body["components"] or ()) if "components" in body else None,
        uploads=_uploads(body, files),
        kept_attachments=kept,
        flags=MessageFlag(body["flags"]) if body.get("flags") is not None else None,
        allowed_mentions=_allowed_mentions(body),
    )


def _uploads(body: Json, files: dict[int, Upload]) -> tuple[Upload, ...]:
    """Return the files with the names and descriptions in the attachment list."""
    listed = {str(each.get("id")): each for each in body.get("attachments") or ()}
    found: list[Upload] = []
    for number, upload in sorted(files.items()):
        told = listed.get(str(number), {})
        name = told.get("filename") or upload.name
        found.append(Upload(name, upload.content, upload.content_type, told.get("description")))
    return tuple(found)


def _allowed_mentions(body: Json) -> Json | None:
    allowed: Json | None = body.get("allowed_mentions")
    if allowed is None:
        return None
    for key in ("users", "roles"):
        if key in (allowed.get("parse") or ()) and allowed.get(key):
            raise invalid(
                ("allowed_mentions", key),
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{key}"] and {key}: [ids...] are mutually exclusive.',
            )
    return allowed


def _replied_to(body: Json, channel: DiscordChannel) -> DiscordMessage | None:
    reference = body.get("message_reference")
    if not reference:
        return None
    message = channel.messages.get(int(reference.get("message_id") or 0))
    if message is None or message.only_for:
        if reference.get("fail_if_not_exists") is False:
            return None
        raise invalid(("message_reference",), "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return message


def snowflake(value: object, field: str) -> int:
    """Parse an id from a path or a body."""
    if not is_snowflake(value):
        raise invalid((field,), "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
    return int(str(value))
