"""Tests that events appear on every page immediately and stay: two tabs, a reload, a broken connection."""

import pytest
from playwright.async_api import FilePayload, WebSocketRoute, expect
from playwright.async_api import Page as Tab

from sandbox.discord import Upload
from sandbox.page import server
from sandbox.page.server import Page
from tests.fixtures.browser import SCREENS, Opening, fixture
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.page.axe import assert_accessible
from tests.sandbox.page.pictures import RED

pytestmark = pytest.mark.asyncio(loop_scope="session")

DROP = """async ([selector, kind, name, type, content]) => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(content)], name, { type }));
  const event = kind === "paste"
    ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(event);
}"""

LARGE = """() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array(10 * 1024 * 1024 + 1)], "large.bin"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
}"""


@fixture
async def tab(page: Page, opening: Opening) -> Tab:
    return await opening(page.address)


async def test_two_tabs_agree_and_a_reload_shows_the_same(tab: Tab, page: Page, opening: Opening) -> None:
    other = await opening(page.address, "phone")
    await other.get_by_role("button", name="Channels").click()
    await other.get_by_label("You are").select_option("eve")
    await other.keyboard.press("Escape")
    words = tab.get_by_role("textbox", name="Message")
    await words.fill("one\ntwo **three**")
    await words.press("Enter")
    answer = other.get_by_role("textbox", name="Message")
    await expect(other.get_by_text("two three")).to_be_visible()
    await answer.fill("seen")
    await expect(tab.get_by_role("status").filter(has_text="eve is typing")).to_be_visible()
    await answer.press("Enter")
    await expect(tab.get_by_text("seen")).to_be_visible()
    await expect(tab.get_by_text("eve is typing")).to_have_count(0)
    listed = tab.get_by_role("list", name="Messages")
    before = await listed.inner_text()
    await tab.reload()
    await expect(listed).to_have_text(before, use_inner_text=True)
    await other.reload()
    await expect(other.get_by_role("list", name="Messages")).to_have_text(before, use_inner_text=True)


async def test_the_page_comes_back_by_itself_when_the_line_breaks(tab: Tab, discord_server: DiscordServer) -> None:
    lines: list[WebSocketRoute] = []

    def through(line: WebSocketRoute) -> None:
        lines.append(line)
        line.connect_to_server()

    await tab.route_web_socket("**/socket*", through)
    await tab.reload()
    await discord_server.eve.write(discord_server.channel, "before")
    await expect(tab.get_by_text("before")).to_be_visible()
    await lines[0].close()
    await discord_server.eve.write(discord_server.channel, "meanwhile")
    await expect(tab.get_by_text("meanwhile")).to_be_visible()
    await expect(tab.get_by_text("Not connected")).to_be_hidden()
    assert len(lines) == 2


async def test_nothing_written_is_lost_when_the_sandbox_is_gone(
    discord_server: DiscordServer, opening: Opening
) -> None:
    about = server.PageInfo("Nobody", "", (discord_server.ada.user,), discord_server.channel)
    async with server.serve(discord_server.discord, about) as page:
        tab = await opening(page.address)
        await expect(tab.get_by_role("heading", name="general", exact=True)).to_be_visible()
    await expect(tab.get_by_text("Is the sandbox still running in the terminal?")).to_be_visible()
    words = tab.get_by_role("textbox", name="Message")
    await words.fill("into the void")
    await words.press("Enter")
    await expect(tab.get_by_text("Not connected to the sandbox.")).to_be_visible()
    await expect(words).to_have_value("into the void")


@pytest.mark.parametrize("kind", ["paste", "drop"])
async def test_a_picture_comes_in_by_paste_and_drop(tab: Tab, discord_server: DiscordServer, kind: str) -> None:
    await expect(tab.get_by_role("heading", name="general", exact=True)).to_be_visible()
    await tab.evaluate(DROP, ["#words", kind, "red.png", "image/png", list(RED)])
    await expect(tab.get_by_role("button", name="Remove red.png")).to_be_visible()
    await assert_accessible(tab)
    await tab.get_by_role("button", name="Send").click()
    message = await discord_server.ada.sees(discord_server.channel, lambda each: bool(each.attachments))
    assert message.attachments[0].content == RED
    await expect(tab.get_by_role("img", name="red.png")).to_be_visible()
    await expect(tab.get_by_role("button", name="Remove red.png")).to_have_count(0)


async def test_files_are_chosen_taken_back_and_refused_when_they_are_too_large(
    tab: Tab, discord_server: DiscordServer
) -> None:
    async with tab.expect_file_chooser() as chooser:
        await tab.get_by_role("button", name="Attach a file").click()
    small = FilePayload(name="small.txt", mimeType="text/plain", buffer=b"words")
    other = FilePayload(name="other.txt", mimeType="text/plain", buffer=b"more")
    await (await chooser.value).set_files([small, other])
    await tab.get_by_role("button", name="Remove other.txt").click()
    await tab.evaluate(LARGE)
    await expect(tab.get_by_text("large.bin is 10.0 MB; Discord accepts files of up to 10.0 MB.")).to_be_visible()
    await tab.get_by_role("button", name="Send").click()
    message = await discord_server.ada.sees(discord_server.channel, lambda each: bool(each.attachments))
    assert [each.name for each in message.attachments] == ["small.txt"]


async def test_what_is_too_long_is_kept_and_said(tab: Tab, discord_server: DiscordServer) -> None:
    words = tab.get_by_role("textbox", name="Message")
    await words.fill("x" * 2001)
    await words.press("Enter")
    await expect(tab.get_by_text("A message can have at most 2000 characters; this one has 2001.")).to_be_visible()
    await expect(words).to_have_value("x" * 2001)
    assert discord_server.ada.messages(discord_server.channel) == []


@pytest.mark.parametrize("screen", SCREENS)
async def test_threads_are_found_archived_and_brought_back(
    page: Page, discord_server: DiscordServer, opening: Opening, screen: str
) -> None:
    tab = await opening(page.address, screen)
    message = await discord_server.ada.write(discord_server.channel, "a start")
    thread = await discord_server.ada.start_thread(discord_server.channel, "A long matter", message)
    await discord_server.eve.write(thread, "inside")
    await tab.get_by_role("link", name="A long matter Open thread").click()
    await expect(tab.get_by_text("inside")).to_be_visible()
    await tab.get_by_role("button", name="Archive").click()
    await expect(tab.get_by_text("This thread is archived.")).to_be_visible()
    assert thread.thread is not None
    assert thread.thread.archived
    await tab.get_by_role("link", name="Back to # general").click()
    await expect(tab.get_by_role("link", name="Archived thread")).to_be_visible()
    if screen == "phone":
        await tab.get_by_role("button", name="Channels").click()
    await expect(tab.get_by_text("Archived threads (1)")).to_be_visible()
    await assert_accessible(tab)
    await tab.get_by_role("list", name="Archived threads of general").get_by_role("link").click()
    await tab.get_by_role("textbox", name="Message").fill("once more")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("This thread is archived.")).to_be_hidden()
    assert not thread.thread.archived
    await tab.go_back()
    await expect(tab.get_by_role("link", name="A long matter Open thread")).to_be_visible()


async def test_what_is_new_elsewhere_is_marked(tab: Tab, discord_server: DiscordServer) -> None:
    other = discord_server.discord.world.add_channel(discord_server.guild, "elsewhere")
    link = tab.get_by_role("link", name="elsewhere")
    await expect(link).to_be_visible()
    await discord_server.eve.write(other, f"look, <#{discord_server.channel.id}>", files=[Upload("a.txt", b"abc")])
    await expect(tab.get_by_role("link", name="elsewhere (unread)")).to_be_visible()
    await expect(tab).to_have_title("(1) general · Workshop")
    await link.click()
    await expect(tab.get_by_text("look,")).to_be_visible()
    await expect(tab).to_have_title("elsewhere · Workshop")
    await tab.get_by_role("link", name="#general").click()
    await expect(tab.get_by_role("heading", name="general", exact=True)).to_be_visible()
    await discord_server.ada.delete_channel(other)
    await expect(link).to_have_count(0)


async def test_who_reads_above_is_not_pulled_down(tab: Tab, discord_server: DiscordServer) -> None:
    for number in range(40):
        await discord_server.eve.write(discord_server.channel, f"line {number}")
    await expect(tab.get_by_text("line 39")).to_be_in_viewport()
    await tab.get_by_text("line 0", exact=True).scroll_into_view_if_needed()
    await discord_server.eve.write(discord_server.channel, "the newest")
    newer = tab.get_by_role("button", name="New messages")
    await expect(newer).to_be_visible()
    await expect(tab.get_by_text("line 0", exact=True)).to_be_in_viewport()
    await newer.click()
    await expect(tab.get_by_text("the newest")).to_be_in_viewport()
    await expect(newer).to_be_hidden()


async def test_a_long_draft_covers_neither_the_newest_message_nor_its_button(
    tab: Tab, discord_server: DiscordServer
) -> None:
    for number in range(40):
        await discord_server.eve.write(discord_server.channel, f"line {number}")
    await expect(tab.get_by_text("line 39")).to_be_in_viewport()
    words = tab.get_by_role("textbox", name="Message")
    await words.fill("a draft\n" * 12)
    await expect(tab.get_by_text("line 39")).to_be_in_viewport()
    await tab.get_by_text("line 0", exact=True).scroll_into_view_if_needed()
    await discord_server.eve.write(discord_server.channel, "the newest")
    newer = tab.get_by_role("button", name="New messages")
    await expect(newer).to_be_visible()
    button, draft = await newer.bounding_box(), await words.bounding_box()
    assert button is not None
    assert draft is not None
    assert button["y"] + button["height"] <= draft["y"]


async def test_members_are_listed(tab: Tab) -> None:
    await tab.get_by_role("button", name="Members").click()
    listed = tab.get_by_role("complementary", name="Members")
    await expect(listed.get_by_role("listitem")).to_have_text(
        ["oownerowns the server", "cclaudeAPP", "aadathis is you", "eeve"]
    )
    await assert_accessible(tab)
