"""The digest of a message's content, which tells whether two messages are the same."""

import hashlib

from bot.messages import Message


def digest(message: Message) -> str:
    """Return one digest for the files and one for everything else, joined by a colon."""
    files = hashlib.sha256()
    for file in message.files:
        files.update(file.name.encode() + b"\0" + file.content)
    rest = hashlib.sha256(repr((message.text, message.components)).encode(errors="surrogatepass"))
    return f"{files.hexdigest()[:16]}:{rest.hexdigest()[:16]}"


def same_files(one: str, other: str) -> bool:
    """Check whether two messages with these digests have the same files."""
    return one.partition(":")[0] == other.partition(":")[0]
