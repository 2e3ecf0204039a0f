"""Tells addresses of this machine from those of other machines."""

import re

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://")
_BARE = re.compile(r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9_.-]+)?(:\d{1,5})?([/?#].*)?", re.DOTALL)
_LOCAL = frozenset({"localhost", "0.0.0.0", "::1", "[::1]", "host.docker.internal", ""})  # noqa: S104 - only compared
_REMOTE = re.compile(
    r"([A-Za-z0-9_.-]+@)?(\[[0-9a-fA-F:]+\]|[A-Za-z0-9_.$-]+):.*|rsync://.*|scp://.*|sftp://.*", re.DOTALL
)
_DRIVE = re.compile(r"[A-Za-z]:[\\/].*", re.DOTALL)


def host(address: str) -> str:
    """Return the host of an address, with or without a scheme: `localhost:3000/x`."""
    rest = address[:2000]
    scheme = _SCHEME.match(rest)
    rest = rest[scheme.end() :] if scheme else rest
    name = re.split(r"[/?#\\]", rest, maxsplit=1)[0].rpartition("@")[2]
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0].casefold()


def is_address(text: str) -> bool:
    """Check whether an argument is an address: with a scheme, or like `localhost:3000` or `example.com`."""
    if _SCHEME.match(text):
        return True
    name = host(text)
    return bool(_BARE.fullmatch(text[:2000])) and (name in _LOCAL or "." in name) and not text.startswith(("/", "."))


def is_local(address: str) -> bool:
    """Check whether an address leads to this machine."""
    if address.casefold().startswith("file:"):
        return False
    name = host(address)
    return (
        name in _LOCAL
        or name.endswith((".localhost", ".local", ".test"))
        or re.fullmatch(r"127(\.\d+){3}", name) is not None
    )


def is_remote(text: str) -> bool:
    """Check whether `scp` and `rsync` would take it for a path on another machine."""
    return (
        not text.startswith(("/", ".", "~"))
        and not _DRIVE.fullmatch(text)
        and _REMOTE.fullmatch(text[:2000]) is not None
    )
