"""The real `claude`, in a cache folder outside the repository: found there, or fetched with npm."""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEFAULT_VERSION = "2.1.326"
OLD_VERSION = "2.1.197"
"""The oldest CLI that the bot is tried with."""
FETCH_TIMEOUT = 600


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not a failure
    """Why there is no real CLI on this machine."""


def version() -> str:
    return os.environ.get("CLAUDE_DISCORD_TEST_CLI", DEFAULT_VERSION)


def cache() -> Path:
    return Path(os.environ.get("CLAUDE_DISCORD_CACHE", "~/.cache/claude-discord")).expanduser()


def package() -> str:
    """Name the npm package that carries the binary for this machine."""
    system = {"linux": "linux", "darwin": "darwin"}.get(sys.platform)
    cpu = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    if system is None or cpu is None:
        raise Unavailable(f"there is no claude for {sys.platform} on {platform.machine()}")
    musl = "-musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"claude-code-{system}-{cpu}{musl}"


def fetch(wanted: str) -> Path:
    """Give the path of the binary of this version, bringing it with npm the first time."""
    folder = cache() / "cli" / wanted
    binary = folder / "node_modules" / "@anthropic-ai" / package() / "claude"
    folder.mkdir(parents=True, exist_ok=True)
    # Several pytest workers may come here at once: the first one fetches, the others wait for it.
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not binary.exists():
            _install(folder, wanted)
    if not binary.exists():
        raise Unavailable(f"npm installed @anthropic-ai/claude-code@{wanted}, but brought no {package()}")
    return binary


def _install(folder: Path, wanted: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed, so the real claude can't be fetched")
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run(
        [*command, f"@anthropic-ai/claude-code@{wanted}"],
        capture_output=True,
        text=True,
        timeout=FETCH_TIMEOUT,
        check=False,
    )
    if done.returncode != 0:
        raise Unavailable(f"npm could not fetch claude {wanted}: {done.stderr.strip()[-300:]}")


def real_claude_or_skip(wanted: str | None = None) -> Path:
    """Give the real CLI to a test, or skip the test and say why."""
    try:
        return fetch(wanted or version())
    except Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def real_claude() -> Path:
    """The real CLI of the version under test."""
    return real_claude_or_skip()


@pytest.fixture(scope="session")
def old_claude() -> Path:
    """The oldest real CLI that the bot is tried with."""
    return real_claude_or_skip(OLD_VERSION)
