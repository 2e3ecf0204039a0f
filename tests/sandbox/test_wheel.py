"""Tests that a wheel contains the page, which works without internet and without a clone."""

import asyncio
import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import aiohttp
import pytest

from tests.sandbox.test_run import Machine, machine, started, until

__all__ = ["machine"]

ROOT = Path(__file__).parents[2]
BUILDING = 180
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    ready = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []  # otherwise pip fetches it
    command = [*PIP, "wheel", "--no-deps", *ready, "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(command, check=True, timeout=BUILDING)
    [built] = tmp_path.glob("*.whl")
    return built


@pytest.mark.timeout(240)
async def test_an_installed_wheel_shows_the_page(wheel: Path, machine: Machine) -> None:
    here = ROOT / "sandbox" / "page" / "static"
    files = {each.relative_to(ROOT).as_posix() for each in here.rglob("*") if each.is_file()}
    with zipfile.ZipFile(wheel) as content:
        assert files - set(content.namelist()) == set()
    installed = machine.root / "installed"
    command = [*PIP, "install", "--no-deps", "--target", str(installed), str(wheel)]
    await asyncio.to_thread(subprocess.run, command, check=True, timeout=BUILDING)
    async with started(machine, "sandbox", "--scripted", "--no-open", PYTHONPATH=str(installed)) as (_, output):
        address = (await until(output, "^Open (.*)$"))[1]
        async with aiohttp.ClientSession() as session:
            for path in ("", "static/js/page.js", "static/css/layout.css", "static/vendor/highlight.min.js"):
                async with session.get(address + path) as answer:
                    assert answer.status == 200
