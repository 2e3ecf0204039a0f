"""Runs axe, which finds problems for people who can't see the page well or use no mouse."""

import fcntl
import functools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page as Tab

from tests.fixtures.real_claude import FETCH_TIMEOUT, cache

VERSION = "4.14.0"
RUN = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"


@functools.cache
def source() -> str:
    """Install axe-core in the cache folder, once, and return its source."""
    folder = cache() / "axe-core" / VERSION
    found = folder / "node_modules" / "axe-core" / "axe.min.js"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:  # several pytest workers may get here together
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            _install(folder)
    return found.read_text(encoding="utf-8")


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so axe can't be fetched")
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"axe-core@{VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_TIMEOUT, check=False)
    if done.returncode:
        pytest.skip(f"npm could not bring axe: {done.stderr.strip()[-300:]}")


async def assert_accessible(tab: Tab) -> None:
    """Fail if axe finds a problem on the current page, including contrast."""
    if not await tab.evaluate("'axe' in window"):
        await tab.evaluate(source())
    if told := [_told(each) for each in await tab.evaluate(RUN)]:
        pytest.fail("\n".join(told))


def _told(violation: dict[str, Any]) -> str:
    places = "; ".join(f"{node['html'][:160]} ({node['failureSummary'][:300]})" for node in violation["nodes"][:4])
    return f"{violation['id']}: {violation['help']}: {places}"
