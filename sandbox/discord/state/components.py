"""Adds ids, defaults and file URLs to components, as Discord does when it stores them."""

from sandbox.discord.state.entities import SELECTS, ComponentType, DiscordMessage, Json, walk

_DEFAULTS: dict[int, Json] = {
    ComponentType.SEPARATOR: {"divider": True, "spacing": 1},
    ComponentType.CONTAINER: {"spoiler": False},
    ComponentType.FILE: {"spoiler": False},
    **{each: {"min_values": 1, "max_values": 1} for each in SELECTS},
}


def settle(components: tuple[Json, ...], message: DiscordMessage) -> list[Json]:
    """Return copies of the components in which each has an id and each file has its URL."""
    settled = [_copied(each) for each in components]
    parts = walk(settled)
    for part in parts:
        for key, value in _DEFAULTS.get(part["type"], {}).items():
            part.setdefault(key, value)
    taken = {part["id"] for part in parts if part.get("id")}
    number = 1
    for part in parts:
        if not part.get("id"):
            while number in taken:
                number += 1
            part["id"] = number
            taken.add(number)
    files = {f"attachment://{each.name}": each for each in message.attachments}
    for media in shown_media(parts):
        if attachment := files.get(media.get("url", "")):
            media |= {
                "url": attachment.url,
                "proxy_url": attachment.url,
                "content_type": attachment.content_type,
                "attachment_id": str(attachment.id),
                "loading_state": 2,
            }
    for part in parts:
        if part["type"] == ComponentType.FILE and (name := part["file"].get("url", "").rpartition("/")[2]):
            part |= {"name": name, "size": next((len(a.content) for a in message.attachments if a.name == name), 0)}
    return settled


def shown_media(parts: list[Json]) -> list[Json]:
    """List the media items of files, thumbnails and galleries."""
    media = [part["file"] for part in parts if part["type"] == ComponentType.FILE]
    media += [part["media"] for part in parts if part["type"] == ComponentType.THUMBNAIL]
    return media + [item["media"] for part in parts if part["type"] == ComponentType.GALLERY for item in part["items"]]


def _copied(value: Json) -> Json:
    return {key: _copy(each) for key, each in value.items() if each is not None}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return _copied(value)
    return [_copy(each) for each in value] if isinstance(value, list) else value
