"""Discord's limits on messages and threads that are not in its OpenAPI document."""

from sandbox.discord import errors
from sandbox.discord.errors import DiscordRefusal, FormErrors, invalid
from sandbox.discord.state.entities import ComponentType, DiscordMessage, Json, MessageFlag, Upload, walk
from sandbox.discord.validation.body_shapes import MESSAGE, THREAD, refuse_misshapen
from sandbox.discord.validation.component_limits import check_components, check_layout
from sandbox.discord.validation.fields import Path, items, text

CONTENT = 2000
FILES = 10
FILE_SIZE = 10 * 1024 * 1024
EMBED_TOTAL = 6000
V2_SIZE = 10_170  # bytes; Discord answers more with a 500 (discord-api-docs#8554)
ARCHIVE_MINUTES = (60, 1440, 4320, 10080)


def check_message(
    body: Json,
    files: dict[int, Upload],
    *,
    before: DiscordMessage | None = None,
    at: Path = (),
    ephemeral: bool = False,
) -> None:
    """Refuse a new or edited message that Discord would refuse."""
    refuse_misshapen(body, MESSAGE, at)
    form = FormErrors()
    text(form, (*at, "content"), body.get("content"), most=CONTENT)
    text(form, (*at, "nonce"), _nonce(body.get("nonce")), most=25)
    v2 = _is_v2(form, body, before, at)
    embeds = items(form, (*at, "embeds"), body.get("embeds"), most=10)
    for number, embed in enumerate(embeds):
        _check_embed(form, (*at, "embeds", number), embed)
    if sum(_embed_size(each) for each in embeds) > EMBED_TOTAL:
        form.wrong((*at, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBED_TOTAL}")
    names = _check_attachments(form, body, files, before, at)
    if v2:
        for field in ("content", "embeds", "poll", "sticker_ids"):
            if body.get(field):
                form.wrong(
                    (*at, field),
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
    components = items(form, (*at, "components"), body.get("components"), most=40 if v2 else 5)
    check_components(form, (*at, "components"), components, v2=v2, files=names)
    form.check()
    check_layout(components, (*at, "components"), v2=v2)
    if v2 and _v2_size(components) > V2_SIZE:
        raise DiscordRefusal(500, 0, "500: Internal Server Error")
    if not ephemeral and any(len(each.content) > FILE_SIZE for each in files.values()):
        raise errors.too_large()
    if _is_empty(body, files, before):
        raise errors.empty_message()


def _nonce(value: object) -> object:
    return str(value) if isinstance(value, int) else value


def _is_v2(form: FormErrors, body: Json, before: DiscordMessage | None, at: Path) -> bool:
    flags = body.get("flags")
    was = bool(before and before.flags & MessageFlag.COMPONENTS_V2)
    asked = bool(flags and flags & MessageFlag.COMPONENTS_V2)
    if was and flags is not None and not asked:
        form.wrong(
            (*at, "flags"),
            "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG",
            "The IS_COMPONENTS_V2 flag cannot be removed from a message",
        )
    if before and asked and not was:
        for field, old in (("content", before.content), ("embeds", before.embeds)):
            if old and field not in body:
                form.wrong(
                    (*at, field),
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
    return was or asked


def _is_empty(body: Json, files: dict[int, Upload], before: DiscordMessage | None) -> bool:
    """Check whether the message would be empty."""
    content = body.get("content", before and before.content)
    embeds = body.get("embeds", before and before.embeds)
    components = body.get("components", before and before.components)
    kept = body.get("attachments", before and before.attachments)
    return not ((content or "").strip() or embeds or components or files or kept)


def _v2_size(components: list[Json]) -> int:
    texts = [each["content"] for each in walk(components) if each["type"] == ComponentType.TEXT]
    return sum(len(each.encode()) + 12 for each in texts)


def _check_attachments(
    form: FormErrors, body: Json, files: dict[int, Upload], before: DiscordMessage | None, at: Path
) -> set[str]:
    """Check the attachments; return the names that components may refer to."""
    listed = items(form, (*at, "attachments"), body.get("attachments"), most=FILES)
    old = {each.id: each for each in before.attachments} if before else {}
    kept = old if body.get("attachments") is None else {}
    for number, each in enumerate(listed):
        if each.get("id") is None:
            form.wrong((*at, "attachments", number, "id"), "BASE_TYPE_REQUIRED", "This field is required")
            continue
        identity = int(each["id"])
        if identity in old:
            kept = kept | {identity: old[identity]}
        elif identity not in files:
            form.wrong((*at, "attachments", number), "ATTACHMENT_NOT_FOUND", "Attachment data not found")
        text(form, (*at, "attachments", number, "description"), each.get("description"), most=1024)
    if len(kept) + len(files) > FILES:
        form.wrong((*at, "attachments"), "BASE_TYPE_MAX_LENGTH", f"Must be {FILES} or fewer in length.")
    return {each.name for each in kept.values()} | {each.name for each in files.values()}


def _check_embed(form: FormErrors, at: Path, embed: Json) -> None:
    text(form, (*at, "title"), embed.get("title"), most=256)
    text(form, (*at, "description"), embed.get("description"), most=4096)
    text(form, (*at, "footer", "text"), (embed.get("footer") or {}).get("text"), most=2048)
    text(form, (*at, "author", "name"), (embed.get("author") or {}).get("name"), most=256)
    for number, field in enumerate(items(form, (*at, "fields"), embed.get("fields"), most=25)):
        text(form, (*at, "fields", number, "name"), field.get("name"), least=1, most=256, required=True)
        text(form, (*at, "fields", number, "value"), field.get("value"), least=1, most=1024, required=True)


def _embed_size(embed: Json) -> int:
    said = [embed.get("title"), embed.get("description")]
    said += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for field in embed.get("fields") or ():
        said += [field.get("name"), field.get("value")]
    return sum(len(each) for each in said if each)


def check_thread(body: Json) -> None:
    """Refuse a new or changed thread with an invalid name or archive duration."""
    refuse_misshapen(body, THREAD)
    form = FormErrors()
    text(form, ("name",), body.get("name"), least=1, most=100, required="name" in body)
    minutes = body.get("auto_archive_duration")
    if minutes is not None and minutes not in ARCHIVE_MINUTES:
        form.wrong(("auto_archive_duration",), "BASE_TYPE_CHOICES", f"Value must be one of {ARCHIVE_MINUTES}.")
    form.check()


def require_field(body: Json, field: str) -> None:
    if body.get(field) is None:
        raise invalid((field,), "BASE_TYPE_REQUIRED", "This field is required")
