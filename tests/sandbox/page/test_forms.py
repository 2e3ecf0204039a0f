"""Tests that all kinds of command options and form fields can be filled in on the page and reach the bot."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import FilePayload, expect
from playwright.async_api import Page as Tab

from sandbox.discord.state import messages
from sandbox.discord.state.messages import MessageDraft
from sandbox.page.server import Page
from tests.fixtures.browser import SCREENS, Opening, fixture
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.page.axe import assert_accessible

pytestmark = pytest.mark.asyncio(loop_scope="session")

WITHIN = 20.0
COMMAND = {
    "id": "1",
    "type": 1,
    "name": "order",
    "description": "Order a shed",
    "options": [
        {
            "type": 3,
            "name": "colour",
            "description": "Which",
            "required": True,
            "choices": [{"name": "Red", "value": "r"}],
        },
        {"type": 4, "name": "doors", "description": "How many", "min_value": 1, "max_value": 4},
        {"type": 5, "name": "locked", "description": "With a lock"},
        {"type": 6, "name": "builder", "description": "Who"},
        {"type": 7, "name": "yard", "description": "Where"},
        {"type": 8, "name": "guild", "description": "Whose"},
        {"type": 10, "name": "height", "description": "In metres"},
        {"type": 11, "name": "drawing", "description": "A file"},
    ],
}
MODAL = {
    "custom_id": "form",
    "title": "About the shed",
    "components": [
        {"type": 10, "content": "Please **choose**."},
        {"type": 18, "label": "Name", "description": "Any", "component": {"type": 4, "custom_id": "name", "style": 1}},
        {
            "type": 18,
            "label": "Colour",
            "component": {
                "type": 3,
                "custom_id": "colour",
                "options": [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}],
            },
        },
        {
            "type": 18,
            "label": "Inside",
            "component": {
                "type": 3,
                "custom_id": "inside",
                "max_values": 2,
                "options": [{"label": "Tools", "value": "t"}, {"label": "A cat", "value": "c"}],
            },
        },
        {"type": 18, "label": "Builder", "component": {"type": 5, "custom_id": "builder", "required": False}},
    ],
}


@asynccontextmanager
async def answering(discord_server: DiscordServer, *answers: dict[str, Any]) -> AsyncIterator[list[dict[str, Any]]]:
    """Act as a bot that gives these responses, one per interaction; yield the interactions."""
    told: list[dict[str, Any]] = []
    discord = discord_server.discord

    async def answer() -> None:
        with discord.world.subscribe(discord.world.bot) as changes:
            ready.set()
            while len(told) < len(answers):
                change = await anext(changes)
                if change.event == "INTERACTION_CREATE":
                    discord.interactions.respond(int(change.data["id"]), change.data["token"], answers[len(told)], {})
                    told.append(change.data["data"])

    ready = asyncio.Event()
    async with asyncio.timeout(WITHIN), asyncio.TaskGroup() as tasks:
        tasks.create_task(answer())
        await ready.wait()
        yield told


def says(text: str) -> dict[str, Any]:
    return {"type": 4, "data": {"content": text}}


@fixture(params=SCREENS)
async def tab(page: Page, opening: Opening, request: pytest.FixtureRequest) -> Tab:
    return await opening(page.address, request.param)


async def test_every_kind_of_option_reaches_the_bot(tab: Tab, discord_server: DiscordServer) -> None:
    discord_server.discord.world.application.commands[discord_server.guild.id] = {1: COMMAND}
    async with answering(discord_server, says("ordered")) as told:
        words = tab.get_by_role("textbox", name="Message")
        await words.fill("/order")
        await words.press("Enter")
        form = tab.get_by_role("form", name="/order")
        await form.get_by_label("colour").select_option("Red")
        await form.get_by_label("doors").fill("2")
        await form.get_by_label("locked").select_option("True")
        await form.get_by_label("builder").select_option("eve")
        await form.get_by_label("yard").select_option("#general")
        await form.get_by_label("guild").select_option("developers")
        await form.get_by_label("height").fill("2.5")
        drawing = FilePayload(name="plan.txt", mimeType="text/plain", buffer=b"a square")
        await form.get_by_label("drawing").set_input_files(drawing)
        await assert_accessible(tab)
        await form.get_by_role("button", name="Run").click()
        await expect(tab.get_by_text("ordered")).to_be_visible()
    values = {each["name"]: each["value"] for each in told[0]["options"]}
    [drawn] = told[0]["resolved"]["attachments"].values()
    assert values == {
        "colour": "r",
        "doors": 2,
        "locked": True,
        "builder": str(discord_server.eve.user.id),
        "yard": str(discord_server.channel.id),
        "guild": str(discord_server.developers.id),
        "height": 2.5,
        "drawing": drawn["id"],
    }
    assert drawn["filename"] == "plan.txt"


async def test_a_command_that_nobody_answers_has_failed(tab: Tab, discord_server: DiscordServer) -> None:
    discord_server.discord.world.application.commands[discord_server.guild.id] = {1: COMMAND}
    discord_server.discord.interactions.patience = 0.2
    words = tab.get_by_role("textbox", name="Message")
    await words.fill("/order colour:Red doors:3")
    await words.press("Enter")
    await expect(tab.get_by_text("The application did not respond.")).to_be_visible()
    await words.fill("/order colour:Mauve")
    await words.press("Enter")
    await expect(tab.get_by_text("colour is one of ['Red'], not 'Mauve'.")).to_be_visible()


async def test_a_form_with_labels_and_menus_reaches_the_bot(tab: Tab, discord_server: DiscordServer) -> None:
    world = discord_server.discord.world
    button = {"type": 2, "style": 1, "label": "Begin", "custom_id": "begin"}
    draft = MessageDraft("A shed?", components=({"type": 1, "components": [button]},))
    messages.write(world, discord_server.channel, world.bot, draft)
    async with answering(discord_server, {"type": 9, "data": MODAL}, says("thank you")) as told:
        await tab.get_by_role("button", name="Begin").click()
        form = tab.get_by_role("dialog", name="About the shed")
        await form.get_by_label("Name").fill("Larch")
        await form.get_by_label("Colour").select_option("Blue")
        await form.get_by_role("group", name="Inside").get_by_label("A cat").check()
        await form.get_by_role("group", name="Inside").get_by_label("Tools").check()
        await form.get_by_label("Builder").select_option("eve")
        await assert_accessible(tab)
        await form.get_by_role("button", name="Submit").click()
        await expect(tab.get_by_text("thank you")).to_be_visible()
    await expect(form).to_be_hidden()
    inner = [each["component"] for each in told[1]["components"] if each["type"] == 18]
    assert [each.get("value") or each["values"] for each in inner] == [
        "Larch",
        ["b"],
        ["t", "c"],
        [str(discord_server.eve.user.id)],
    ]


async def test_a_private_channel_with_the_bot_is_listed(tab: Tab, discord_server: DiscordServer) -> None:
    world = discord_server.discord.world
    private = world.dm(discord_server.ada.user, world.bot)
    messages.write(world, private, world.bot, MessageDraft("just us"))
    menu = tab.get_by_role("button", name="Channels")
    if await menu.is_visible():
        await menu.click()
    await tab.get_by_role("link", name="claude").click()
    await expect(tab.get_by_text("just us")).to_be_visible()
    await assert_accessible(tab)
