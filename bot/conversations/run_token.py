"""The token by which a run's permission server proves which run it belongs to."""

import hashlib
import secrets


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Give what is kept of a token: enough to recognize it."""
    return hashlib.sha256(token.encode()).hexdigest()
