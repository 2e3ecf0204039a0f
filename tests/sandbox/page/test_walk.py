"""Tests a newcomer's tour of the scripted session, using only what is visible, on a laptop and a phone."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect
from playwright.async_api import Page as Tab

from sandbox import run
from sandbox.claude_command import AgentCommand
from sandbox.messages_api.server import serve as serve_api
from sandbox.page.server import Page
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.browser import SCREENS, Opening, fixture
from tests.sandbox.page.axe import assert_accessible
from tests.sandbox.page.pictures import RED

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass(frozen=True)
class Newcomer:
    """A person who uses the page."""

    tab: Tab
    screen: str

    @property
    def words(self) -> Locator:
        return self.tab.get_by_role("textbox", name="Message")

    async def write(self, text: str) -> None:
        await self.words.fill(text)
        await self.words.press("Enter")

    async def press(self, name: str) -> None:
        await self.tab.get_by_role("list", name="Messages").get_by_role("button", name=name, exact=True).last.click()

    async def sees(self, text: str) -> None:
        await expect(self.tab.get_by_text(text).last).to_be_visible()

    async def choose(self, menu: str, *options: str) -> None:
        await self.tab.get_by_role("button", name=menu).last.click()
        for option in options:
            await self.tab.get_by_role("option", name=option).last.click()
        if len(options) > 1:
            await self.press("Done")

    async def become(self, who: str) -> None:
        if self.screen == "phone":
            await self.tab.get_by_role("button", name="Channels").click()
        await self.tab.get_by_label("You are").select_option(who)
        if self.screen == "phone":
            await self.tab.keyboard.press("Escape")

    async def fits(self) -> None:
        assert not await self.tab.evaluate("document.documentElement.scrollWidth > innerWidth")


@fixture(params=SCREENS)
async def newcomer(scripted: Page, opening: Opening, request: pytest.FixtureRequest) -> Newcomer:
    return Newcomer(await opening(scripted.address, request.param), request.param)


@pytest.mark.timeout(150)
async def test_a_newcomer_sees_everything(newcomer: Newcomer, tmp_path: Path) -> None:
    tab = newcomer.tab
    await newcomer.sees("Scripted agent, not Claude")
    await assert_accessible(tab)

    await newcomer.write("hello")
    await tab.get_by_role("link", name="Open thread").click()
    await newcomer.sees("I'm not Claude: I'm a small script")
    await expect(tab.get_by_role("button", name="Allow", exact=True)).to_be_visible()
    await assert_accessible(tab)
    await tab.reload()
    await newcomer.press("Allow")
    await newcomer.sees("It really ran on your machine")
    assert (tmp_path / "project" / "tour" / "hello.txt").exists()

    await newcomer.write("card")
    await newcomer.press("Deny")
    await newcomer.sees("You said no, so nothing ran")

    await newcomer.write("questions")
    await newcomer.choose("Colour", "Red")
    await newcomer.choose("Inside", "Bicycles", "A cat")
    await assert_accessible(tab)
    await newcomer.press("Send")
    await newcomer.sees("What should be inside? Bicycles, A cat")

    await newcomer.write("questions")
    await newcomer.sees("Two questions, before I begin")
    await tab.get_by_role("button", name="Other…").nth(-2).click()
    await tab.get_by_role("dialog").get_by_role("textbox").fill("Purple, with dots")
    await assert_accessible(tab)
    await tab.get_by_role("button", name="Submit").click()
    await newcomer.choose("Inside", "Tools")
    await newcomer.press("Done")
    await newcomer.press("Send")
    await newcomer.sees("What colour should the shed be? Purple, with dots")
    await newcomer.fits()


@pytest.mark.timeout(150)
async def test_a_newcomer_approves_stops_and_changes_sides(newcomer: Newcomer) -> None:
    tab = newcomer.tab
    await newcomer.write("plan")
    await tab.get_by_role("link", name="Open thread").click()
    await newcomer.sees("A friendlier greeting")
    await tab.get_by_role("button", name=re.compile("^Approve")).first.click()
    await newcomer.sees("The plan is approved")
    await newcomer.press("Allow")
    await newcomer.sees("Written. Now I'll run it.")
    await newcomer.press("Deny")
    await newcomer.sees("You said no")

    await newcomer.write("slow")
    await newcomer.sees("I'm counting slowly. Stop me: 1 2 3")
    await expect(tab.get_by_text(re.compile(r"counting slowly.* 10 11 12", re.DOTALL))).to_be_visible()
    await newcomer.write("/stop")
    await newcomer.sees("stopped")

    await newcomer.write("/status")
    await newcomer.sees("Only you can see this")
    await newcomer.press("Dismiss message")
    await expect(tab.get_by_text("Only you can see this")).to_have_count(0)

    await tab.locator("#picker").set_input_files({"name": "red.png", "mimeType": "image/png", "buffer": RED})
    await newcomer.write("A picture for you")
    picture = tab.get_by_role("img", name="red.png")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    await newcomer.sees("picture")

    await newcomer.write("card")
    await expect(tab.get_by_role("button", name="Allow", exact=True)).to_be_visible()
    await newcomer.become("stranger")
    await newcomer.press("Allow")
    await newcomer.sees("Only you can see this")
    await assert_accessible(tab)
    await newcomer.write("Do as I say")
    await newcomer.become("owner")
    await newcomer.press("Allow")
    await newcomer.sees("It really ran on your machine")
    await expect(tab.get_by_text("Only you can see this")).to_have_count(0)
    await newcomer.fits()


async def test_the_real_claude_works_from_the_page(tmp_path: Path, real_claude: Path, opening: Opening) -> None:
    home = tmp_path / "home"
    home.mkdir()
    touch = Use("Bash", {"command": "touch made.txt", "description": "Make a file"})
    async with serve_api() as api:
        api.on("make a file", script([Say("I will make **one** file."), touch], [Say("It is there.")]))
        agent = AgentCommand("The real claude", (str(real_claude),), api.environment(home))
        async with run.opened(tmp_path, run.sample(tmp_path), agent) as page:
            somebody = Newcomer(await opening(page.address), "laptop")
            await somebody.sees("The real claude")
            await somebody.write("Please make a file")
            await somebody.tab.get_by_role("link", name="Open thread").click()
            await somebody.sees("I will make one file.")
            await somebody.sees("touch made.txt")
            await somebody.press("Allow")
            await somebody.sees("It is there.")
    assert (tmp_path / "project" / "made.txt").exists()
