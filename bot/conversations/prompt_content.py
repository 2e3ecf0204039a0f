"""The content of a prompt: its text, its pictures, and the paths of other attached files."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bot.records import Prompt

MOST_FILES = 10  # Discord's own limit for a message
LARGEST_FILE = 25 * 1024 * 1024
LARGEST_IMAGE = 5 * 1024 * 1024  # the API accepts no larger ones; Claude can still read them as files
LARGEST_PROMPT = 200_000
"""Bytes of a `message.txt` that becomes the prompt; a longer one stays a file that Claude can read in parts."""
FETCH_TIMEOUT = 60.0
"""Seconds to download all files of a message."""
LONG_PROMPT = "message.txt"
"""The file that Discord turns an overlong message into."""

_IMAGES = {
    b"\x89PNG\r\n\x1a\n": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"GIF87a": ".gif",
    b"GIF89a": ".gif",
}
_SUFFIXES = frozenset({".png", ".jpg", ".gif", ".webp"})
_UNSAFE = re.compile(r"[^\w.\- ()+,@]", re.ASCII)
_NAME = 80


def image_suffix(data: bytes) -> str | None:
    """Return the suffix of a picture by its first bytes; None if Claude doesn't accept it as a picture."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp"
    return next((suffix for magic, suffix in _IMAGES.items() if data.startswith(magic)), None)


def safe_name(name: str, number: int) -> str:
    """Return a name that is safe in shells and paths and easy to read; the number keeps names unique."""
    clean = _UNSAFE.sub("_", name).strip(" ._") or "file"
    stem, dot, suffix = clean.rpartition(".")
    if not dot or len(suffix) > 10:
        return f"{number}-{clean[:_NAME]}"
    return f"{number}-{stem[: _NAME - len(suffix)]}.{suffix}"


def place(folder: Path, name: str, data: bytes, number: int) -> Path:
    """Return where to keep a file: in `images` if Claude gets it as a picture."""
    suffix = image_suffix(data)
    if suffix is None or len(data) > LARGEST_IMAGE:
        return folder / "files" / safe_name(name, number)
    return folder / "images" / Path(safe_name(name, number)).with_suffix(suffix).name


def is_image(path: str) -> bool:
    place = Path(path)
    return place.parent.name == "images" and place.suffix in _SUFFIXES


def content(prompt: Prompt, image: Callable[[str], Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a prompt as content blocks for the CLI."""
    pictures: list[Mapping[str, Any]] = []
    named = [path for path in prompt.files if not is_image(path)]
    text = prompt.text
    for path in filter(is_image, prompt.files):
        try:
            pictures.append(image(path))
        except OSError:  # a prompt can be sent again after retention has removed its files
            text = f"{text}\n\n(An attached picture, {Path(path).name}, no longer exists.)"
    if named:
        listed = "\n".join(f"- {path}" for path in named)
        text = f"{text}\n\nAttached files, stored outside of the project:\n{listed}".lstrip("\n")
    return [*pictures, {"type": "text", "text": text or "Please look at this."}]
