"""The digest of a message's content, by which two messages are compared."""

import hashlib

from bot.messages import Message


def digest(message: Message) -> str:
    """Give a digest of the files, then of everything else."""
    files = hashlib.sha256()
    for file in message.files:
        files.update(file.name.encode() + b"\0" + file.content)
    rest = hashlib.sha256(repr((message.text, message.components)).encode(errors="surrogatepass"))
    return f"{files.hexdigest()[:16]}:{rest.hexdigest()[:16]}"


def same_files(one: str, other: str) -> bool:
    """Whether two messages of these digests have the same files."""
    return one.partition(":")[0] == other.partition(":")[0]
