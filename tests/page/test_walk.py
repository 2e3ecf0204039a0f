"""A newcomer's walk over the page, in a real browser, on a laptop and on a phone."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import async_playwright, expect

from sandbox import run
from sandbox.page.door import Page

CHROMIUM = shutil.which("chromium")
ARGUMENTS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
WIDTHS = [pytest.param((1280, 800), id="laptop"), pytest.param((390, 844), id="phone")]
WITHIN = 20_000


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with run.opened(tmp_path, run.sample(tmp_path), run.agent(tmp_path, scripted=True)) as page:
        yield page


@pytest.fixture(params=WIDTHS)
async def tab(page: Page, request: pytest.FixtureRequest) -> AsyncIterator[Tab]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    width, height = request.param
    flags = [*ARGUMENTS.split(), "--disable-component-update", "--disable-sync"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            tab = await browser.new_page(viewport={"width": width, "height": height})
            tab.set_default_timeout(WITHIN)
            complaints: list[str] = []
            tab.on("pageerror", lambda error: complaints.append(str(error)))
            await tab.goto(page.address)
            yield tab
            assert complaints == []
        finally:
            await browser.close()


async def test_a_newcomer_writes_allows_and_answers(tab: Tab, tmp_path: Path) -> None:
    expect.set_options(timeout=WITHIN)
    await expect(tab.get_by_text("Scripted agent, not Claude")).to_be_visible()
    message = tab.get_by_role("textbox", name="Message")
    await message.fill("hello")
    await message.press("Enter")
    await tab.get_by_role("button", name="Open thread").click()
    await expect(tab.get_by_text("I'm not Claude: I'm a small script")).to_be_visible()
    allow = tab.get_by_role("button", name="Allow", exact=True)
    await expect(allow).to_be_visible()
    await tab.reload()
    await allow.click()
    await expect(tab.get_by_text("It really ran, on your machine")).to_be_visible()
    assert (tmp_path / "project" / "tour" / "hello.txt").exists()
    await message.fill("/status")
    await message.press("Enter")
    await expect(tab.get_by_text("Only you can see this")).to_be_visible()
    await tab.screenshot(path=tmp_path / "page.png")
    wide = await tab.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide


async def test_without_the_key_nothing_is_shown(page: Page) -> None:
    base = page.address.partition("?")[0]
    async with aiohttp.ClientSession() as session:
        for path in ("", "?key=wrong", "static/page.js", "socket", "attachment/1"):
            async with session.get(base + path) as answer:
                assert answer.status == 403
        async with session.get(page.address, headers={"Host": "evil.example"}) as answer:
            assert answer.status == 403
        async with session.get(page.address, headers={"Origin": "http://evil.example"}) as answer:
            assert answer.status == 403
