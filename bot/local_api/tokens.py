"""The tokens that the local API's callers must send: the owner's, and that of each run."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aiohttp import web

from bot.local_api.responses import refusal
from bot.private_files import replace_file


@contextmanager
def owner_token(path: Path) -> Iterator[str]:
    """Write a new token to a file that only the owner can read; it is removed after the block."""
    token = secrets.token_urlsafe(32)
    replace_file(path, token)
    try:
        yield token
    finally:
        path.unlink(missing_ok=True)


def token_of(request: web.Request) -> str:
    """Return the token of a request; empty if it has none."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if scheme == "Bearer" else ""


def is_same(given: str, token: str) -> bool:
    """Compare two tokens in constant time."""
    return secrets.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())


def refuse_token(sentence: str) -> web.Response:
    return refusal(401, sentence)
