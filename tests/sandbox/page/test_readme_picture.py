"""Tests that the README's picture is current, or takes it again."""

import os
import struct
from pathlib import Path

import pytest
from playwright.async_api import expect

from sandbox.page.server import Page
from tests.fixtures.browser import Opening

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "sandbox.png"
TAKE = "CLAUDE_DISCORD_TAKE_PICTURE"
"""If it is set to anything, the picture in docs/ is taken again."""
LARGEST = 300 * 1024
SCALE = 1.5


async def test_the_readme_shows_the_page(scripted: Page, opening: Opening, tmp_path: Path) -> None:
    tab = await opening(scripted.address, device_scale_factor=SCALE)
    words = tab.get_by_role("textbox", name="Message")
    await words.fill("Edit the greeting: make it friendlier")
    await words.press("Enter")
    await tab.get_by_role("link", name="Open thread").click()
    await expect(tab.get_by_text("new file")).to_be_visible()
    await tab.get_by_role("button", name="Allow", exact=True).click()
    await expect(tab.get_by_text("Then a change. You see the diff before it happens.")).to_be_visible()
    await expect(tab.get_by_role("button", name="Allow", exact=True)).to_be_visible()
    taken = PICTURE if os.environ.get(TAKE) else tmp_path / "sandbox.png"
    await tab.mouse.move(0, 0)
    await tab.screenshot(path=taken)

    assert "docs/sandbox.png" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert PICTURE.stat().st_size < LARGEST
    assert _measures(PICTURE.read_bytes()) == _measures(taken.read_bytes())


def _measures(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height
