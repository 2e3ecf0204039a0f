"""Tests a whole session with the keyboard alone: no mouse, no touch."""

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from sandbox.page.server import Page
from tests.fixtures.browser import Opening

pytestmark = pytest.mark.asyncio(loop_scope="session")

STEPS = 60


async def reach(tab: Tab, role: str, name: str, key: str = "Tab") -> None:
    """Press one key until the control has the focus."""
    wanted = tab.get_by_role(role, name=name, exact=True).last  # type: ignore[arg-type]
    await expect(wanted).to_be_visible()
    for _ in range(STEPS):
        if await wanted.evaluate("node => node === document.activeElement"):
            return
        await tab.keyboard.press(key)
    pytest.fail(f"{STEPS} times {key} did not lead to the {role} {name!r}.")


async def test_a_session_needs_no_mouse(scripted: Page, opening: Opening) -> None:
    tab = await opening(scripted.address)
    await expect(tab.get_by_role("heading", name="project", exact=True)).to_be_visible()
    await reach(tab, "textbox", "Message")
    await tab.keyboard.type("questions")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("link", name="Open thread")).to_be_visible()
    await reach(tab, "link", "questions Open thread ›", "Shift+Tab")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("textbox", name="Message")).to_be_focused()

    await reach(tab, "button", "Colour", "Shift+Tab")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("option", name="Red")).to_be_focused()
    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("button", name="Colour: 2. Green")).to_be_focused()
    await reach(tab, "button", "Inside")
    await tab.keyboard.press("ArrowDown")
    await expect(tab.get_by_role("option", name="Bicycles")).to_be_focused()
    await tab.keyboard.press("Space")
    await tab.keyboard.press("End")
    await tab.keyboard.press("Space")
    await tab.keyboard.press("Tab")
    await expect(tab.get_by_role("button", name="Done")).to_be_focused()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("button", name="Inside: 1. Bicycles, 3. A cat")).to_be_focused()
    for _ in range(2):  # past "Other…"
        await tab.keyboard.press("Tab")
    await expect(tab.get_by_role("button", name="Send", exact=True).first).to_be_focused()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("What colour should the shed be? Green")).to_be_visible()

    await reach(tab, "textbox", "Message")
    await tab.keyboard.type("card")
    await tab.keyboard.press("Enter")
    await reach(tab, "button", "Deny…", "Shift+Tab")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
    await tab.keyboard.type("Not with a keyboard")
    await reach(tab, "button", "Submit")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("This is what I was told: “Not with a keyboard”")).to_be_visible()

    await reach(tab, "textbox", "Message")
    await tab.keyboard.type("/sta")
    await expect(tab.get_by_role("option", name="/status")).to_have_attribute("aria-selected", "true")
    await tab.keyboard.press("Enter")
    await reach(tab, "button", "Dismiss message", "Shift+Tab")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("Only you can see this")).to_have_count(0)
    await reach(tab, "combobox", "You are", "Shift+Tab")
    await tab.keyboard.press("ArrowDown")
    await expect(tab.get_by_text("this is you")).to_have_count(1)


async def test_the_keyboard_opens_and_closes_what_a_phone_hides(scripted: Page, opening: Opening) -> None:
    tab = await opening(scripted.address, "phone")
    await expect(tab.get_by_role("heading", name="project", exact=True)).to_be_visible()
    await reach(tab, "button", "Channels")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("link", name="project", exact=True)).to_be_focused()
    await tab.keyboard.press("Escape")
    await expect(tab.get_by_role("button", name="Channels")).to_be_focused()
    await expect(tab.get_by_role("link", name="project", exact=True)).to_be_hidden()
