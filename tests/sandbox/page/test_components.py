"""Tests a bot's cards, embeds, buttons, menus, forms and commands on the page, found by role and name."""

import re

import hikari
import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

from sandbox.discord import Upload
from sandbox.page.server import Page
from tests.fixtures.browser import SCREENS, Opening, fixture
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot
from tests.sandbox.discord.test_hikari import buttons
from tests.sandbox.page.axe import assert_accessible
from tests.sandbox.page.pictures import RED

pytestmark = pytest.mark.asyncio(loop_scope="session")


@fixture
async def tab(page: Page, bot: Bot, opening: Opening) -> Tab:
    return await opening(page.address)


@pytest.mark.parametrize("screen", SCREENS)
async def test_a_card_shows_all_that_can_stand_on_it(
    page: Page, discord_server: DiscordServer, bot: Bot, opening: Opening, screen: str
) -> None:
    tab = await opening(page.address, screen)
    picture = hikari.Bytes(RED, "red.png")
    text, separator = hikari.impl.TextDisplayComponentBuilder, hikari.impl.SeparatorComponentBuilder
    card = hikari.impl.ContainerComponentBuilder(accent_color=hikari.Color(0x23A55A))
    card.add_component(text(content="### The card\nwith **words**"))
    card.add_component(separator(divider=True, spacing=hikari.SpacingType.LARGE))
    button = hikari.impl.InteractiveButtonBuilder(style=hikari.ButtonStyle.SUCCESS, custom_id="secret", label="Beside")
    card.add_component(hikari.impl.SectionComponentBuilder(accessory=button, components=[text(content="a section")]))
    thumbnail = hikari.impl.ThumbnailComponentBuilder(media=picture, description="A small picture")
    card.add_component(hikari.impl.SectionComponentBuilder(accessory=thumbnail, components=[text(content="pictured")]))
    card.add_component(hikari.impl.FileComponentBuilder(file=hikari.Bytes(b"line one\nline two\n", "notes.txt")))
    gallery = hikari.impl.MediaGalleryComponentBuilder()
    gallery.add_media_gallery_item(hikari.Bytes(RED, "other.png"), description="In the gallery")
    row = hikari.impl.MessageActionRowBuilder().add_link_button("https://a.example/", label="Away")
    await bot.rest.create_message(discord_server.channel.id, components=[card, gallery, row])

    shown = tab.get_by_role("group", name="Card")
    await expect(shown.get_by_role("heading", name="The card")).to_be_visible()
    assert await shown.evaluate("node => getComputedStyle(node).borderLeftColor") == "rgb(35, 165, 90)"
    await expect(shown.get_by_role("separator")).to_be_visible()
    for name in ("A small picture", "In the gallery"):
        image = tab.get_by_role("img", name=name)
        assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    await expect(tab.get_by_role("link", name="Away")).to_have_attribute("href", "https://a.example/")
    await shown.get_by_role("button", name="Show notes.txt").click()
    await expect(shown.get_by_text("line two")).to_be_visible()
    async with tab.expect_download() as download:
        await shown.get_by_role("link", name="notes.txt").click()
    saved = await download.value
    assert saved.suggested_filename == "notes.txt"
    assert (await saved.path()).read_bytes() == b"line one\nline two\n"
    await shown.get_by_role("button", name="Beside").click()
    await expect(tab.get_by_text("only for you")).to_be_visible()
    await assert_accessible(tab)
    assert not await tab.evaluate("document.documentElement.scrollWidth > innerWidth")


async def test_an_embed_shows_its_parts(tab: Tab, discord_server: DiscordServer, bot: Bot) -> None:
    embed = hikari.Embed(title="A report", url="https://a.example/", description="**All** is well", color=0xDA373C)
    embed.set_author(name="The bot").set_footer("small words").add_field("One", "1", inline=True).add_field(
        "Two", "*2*"
    )
    embed.set_image(hikari.Bytes(RED, "chart.png"))
    await bot.rest.create_message(discord_server.channel.id, "see:", embed=embed)
    await expect(tab.get_by_role("link", name="A report")).to_be_visible()
    for text in ("The bot", "All is well", "small words", "One", "Two"):
        await expect(tab.get_by_text(text, exact=True)).to_be_visible()
    await expect(tab.get_by_role("img", name="chart.png")).to_have_count(1)
    await assert_accessible(tab)


async def test_an_answer_for_one_person_is_theirs_and_can_be_dismissed(
    tab: Tab, page: Page, discord_server: DiscordServer, bot: Bot, opening: Opening
) -> None:
    await bot.rest.create_message(discord_server.channel.id, "psst", components=buttons("secret"))
    other = await opening(page.address)
    await other.get_by_label("You are").select_option("eve")
    await tab.get_by_role("button", name="Secret").click()
    await expect(tab.get_by_text("Only you can see this")).to_be_visible()
    await discord_server.ada.write(discord_server.channel, "afterwards")
    await expect(other.get_by_text("afterwards")).to_be_visible()
    await expect(other.get_by_text("only for you")).to_have_count(0)
    await tab.get_by_role("button", name="Dismiss message").click()
    await expect(tab.get_by_text("only for you")).to_have_count(0)


async def test_a_bot_that_misses_its_three_seconds_has_failed(
    tab: Tab, discord_server: DiscordServer, bot: Bot
) -> None:
    discord_server.discord.interactions.patience = 0.2
    await bot.rest.create_message(discord_server.channel.id, "hm", components=buttons("silence", "secret"))
    await tab.get_by_role("button", name="Silence").click()
    await expect(tab.get_by_text("This interaction failed")).to_be_visible()
    await expect(tab.get_by_role("button", name="Silence")).to_be_focused()
    discord_server.discord.interactions.patience = 3
    await tab.get_by_role("button", name="Secret").click()
    await expect(tab.get_by_text("only for you")).to_be_visible()
    await expect(tab.get_by_text("This interaction failed")).to_have_count(0)


async def test_a_form_is_filled_in_and_sent(tab: Tab, discord_server: DiscordServer, bot: Bot) -> None:
    await bot.rest.create_message(discord_server.channel.id, "well?", components=buttons("form"))
    await tab.get_by_role("button", name="Form").click()
    form = tab.get_by_role("dialog", name="A form")
    field = form.get_by_role("textbox", name="Why not?")
    await expect(field).to_have_value("because")
    await expect(field).to_be_focused()
    await assert_accessible(tab)
    await form.get_by_role("button", name="Cancel").click()
    await expect(form).to_be_hidden()
    await tab.get_by_role("button", name="Form").click()
    await field.fill("I said so")
    await field.press("Enter")
    await expect(tab.get_by_text("because: I said so")).to_be_visible()


async def test_menus_of_texts_and_of_people(tab: Tab, discord_server: DiscordServer, bot: Bot) -> None:
    rows = [bot.rest.build_message_action_row() for _ in range(2)]
    menu = rows[0].add_text_menu("menu", placeholder="Which?", min_values=1, max_values=2)
    for label in ("One", "Two", "Three"):
        menu.add_option(label, label.lower(), description=f"number {label}")
    await bot.rest.create_message(discord_server.channel.id, "choose", components=[rows[0]])
    opener = tab.get_by_role("button", name="Which?")
    await opener.click()
    await tab.get_by_role("option", name="One").click()
    await tab.get_by_role("option", name="Two").click()
    await tab.get_by_role("option", name="Three").click()  # a third one is too many
    await assert_accessible(tab)
    await tab.get_by_role("button", name="Done").click()
    await expect(tab.get_by_text("chose one and two")).to_be_visible()
    rows[1].add_select_menu(hikari.ComponentType.USER_SELECT_MENU, "menu", placeholder="Who?")
    await bot.rest.create_message(discord_server.channel.id, "and who", components=[rows[1]])
    await tab.get_by_role("button", name="Who?").click()
    await tab.get_by_role("listbox", name="Who?").get_by_role("option", name="eve").click()
    await expect(tab.get_by_text(f"chose {discord_server.eve.user.id}")).to_be_visible()


async def test_an_edit_leaves_an_open_menu_open(tab: Tab, discord_server: DiscordServer, bot: Bot) -> None:
    row = bot.rest.build_message_action_row()
    row.add_text_menu("menu", placeholder="Which?", max_values=2).add_option("One", "1").add_option("Two", "2")
    message = await bot.rest.create_message(discord_server.channel.id, "choose", components=[row])
    await tab.get_by_role("button", name="Which?").click()
    await tab.get_by_role("option", name="One").click()
    await bot.rest.edit_message(discord_server.channel.id, message.id, "choose now", components=[row])
    await expect(tab.get_by_text("choose now")).to_be_visible()
    await expect(tab.get_by_text("(edited)")).to_be_visible()
    await expect(tab.get_by_role("option", name="One")).to_have_attribute("aria-selected", "true")
    await expect(tab.get_by_role("option", name="One")).to_be_focused()


@pytest.mark.parametrize("screen", SCREENS)
async def test_commands_are_found_completed_and_called(
    page: Page, discord_server: DiscordServer, bot: Bot, opening: Opening, screen: str
) -> None:
    tab = await opening(page.address, screen)
    words = tab.get_by_role("textbox", name="Message")
    await words.press_sequentially("/s")
    offers = tab.get_by_role("listbox", name="Commands")
    await expect(offers.get_by_role("option")).to_have_text([re.compile("^/session resume"), re.compile("^/status")])
    await assert_accessible(tab)
    await words.press("ArrowDown")
    await words.press("ArrowUp")
    await words.press("Enter")
    form = tab.get_by_role("form", name="/session resume")
    await form.get_by_role("textbox", name="id").press_sequentially("42")
    await form.get_by_role("button", name="Run").click()
    await expect(tab.get_by_text("resumed 42")).to_be_visible()

    await words.press_sequentially("/pick")
    await expect(offers.get_by_role("option")).to_have_count(1)
    await words.press("Tab")
    name = tab.get_by_role("form", name="/pick").get_by_role("textbox", name="name")
    await name.press_sequentially("b")
    await expect(tab.get_by_role("listbox", name="name").get_by_role("option")).to_have_text(["beta"])
    await name.press("Enter")
    await expect(name).to_have_value("beta")
    await assert_accessible(tab)
    await name.press("Enter")
    await expect(tab.get_by_text("picked beta")).to_be_visible()

    await words.fill("/status loud:true")
    await words.press("Enter")
    await expect(tab.get_by_text("all is well")).to_be_visible()
    await words.fill("/nothing")
    await words.press("Enter")
    await expect(tab.get_by_text("There is no command /nothing here")).to_be_visible()
    await expect(words).to_have_value("/nothing")


async def test_a_message_has_a_menu(tab: Tab, discord_server: DiscordServer) -> None:
    await discord_server.eve.write(discord_server.channel, "what is this?", files=[Upload("a.txt", b"abc")])
    more = tab.get_by_role("button", name="More actions for the message by eve")
    await more.focus()
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_role("menuitem", name="👍")).to_be_focused()
    await assert_accessible(tab)
    await tab.get_by_role("menuitem", name="Ask about this").click()
    await expect(tab.get_by_text("about: what is this?")).to_be_visible()
    await more.click()
    await tab.get_by_role("menuitem", name="👀").click()
    reaction = tab.get_by_role("button", name="👀, 1", exact=True)
    await expect(reaction).to_have_attribute("aria-pressed", "true")
    message = discord_server.ada.messages(discord_server.channel)[0]
    await discord_server.eve.react(message, "👀")
    await tab.get_by_role("button", name="👀, 2", exact=True).click()
    await expect(reaction).to_have_attribute("aria-pressed", "false")
    await more.click()
    await tab.get_by_role("menuitem", name="Reply").click()
    await expect(tab.get_by_text("Replying to eve")).to_be_visible()
    await tab.keyboard.type("an answer")
    await tab.keyboard.press("Enter")
    answer = await discord_server.ada.sees(discord_server.channel, "an answer")
    assert answer.reply_to is message
    mine = tab.get_by_role("button", name="More actions for the message by ada")
    await mine.click()
    await tab.get_by_role("menuitem", name="Edit message").click()
    await tab.get_by_role("textbox", name="Message").fill("a better answer")
    await tab.keyboard.press("Enter")
    await expect(tab.get_by_text("a better answer (edited)")).to_be_visible()
    await mine.click()
    await tab.get_by_role("menuitem", name="Delete message").click()
    await expect(tab.get_by_text("a better answer")).to_have_count(0)
