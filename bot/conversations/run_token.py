"""The token by which a run's permission server proves which run it belongs to."""

import hashlib
import secrets


def new_token() -> str:
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the hash by which the store recognizes a token."""
    return hashlib.sha256(token.encode()).hexdigest()
