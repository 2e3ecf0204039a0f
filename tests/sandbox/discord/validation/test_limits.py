"""Tests that the sandbox refuses what Discord refuses, with the same status, code and tree of errors."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from sandbox.discord import Permission
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.raw_client import Client, client

V2 = 1 << 15


@pytest.fixture
async def send(discord_server: DiscordServer) -> AsyncIterator[Client]:
    async with client(discord_server.discord) as client_:
        yield client_


def button(custom_id: str = "a", **more: Any) -> dict[str, Any]:
    return {"type": 2, "style": 1, "label": "x", "custom_id": custom_id, **more}


def row(*inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(inner)}


def select(count: int = 1, **more: Any) -> dict[str, Any]:
    options = [{"label": str(each), "value": str(each)} for each in range(count)]
    return {"type": 3, "custom_id": "s", "options": options, **more}


def text(content: str) -> dict[str, Any]:
    return {"type": 10, "content": content}


REFUSED = {
    "2001 characters": ({"content": "x" * 2001}, ("content",), "BASE_TYPE_MAX_LENGTH"),
    "11 embeds": ({"embeds": [{"title": "x"}] * 11}, ("embeds",), "BASE_TYPE_MAX_LENGTH"),
    "a long embed title": ({"embeds": [{"title": "x" * 257}]}, ("embeds", 0, "title"), "BASE_TYPE_MAX_LENGTH"),
    "embeds of 6001 characters in all": (
        {"embeds": [{"description": "x" * 3001}, {"description": "x" * 3000}]},
        ("embeds",),
        "MAX_EMBED_SIZE_EXCEEDED",
    ),
    "26 embed fields": (
        {"embeds": [{"fields": [{"name": "n", "value": "v"}] * 26}]},
        ("embeds", 0, "fields"),
        "BASE_TYPE_MAX_LENGTH",
    ),
    "six rows": (
        {"components": [row(button(str(each))) for each in range(6)]},
        ("components",),
        "BASE_TYPE_MAX_LENGTH",
    ),
    "six buttons in a row": (
        {"components": [row(*(button(str(each)) for each in range(6)))]},
        ("components", 0, "components"),
        "BASE_TYPE_BAD_LENGTH",
    ),
    "an empty row": ({"components": [row()]}, ("components", 0, "components"), "BASE_TYPE_BAD_LENGTH"),
    "the same custom_id twice": (
        {"components": [row(button("a")), row(button("a"))]},
        ("components", 1, "components", 0, "custom_id"),
        "COMPONENT_CUSTOM_ID_DUPLICATED",
    ),
    "a long custom_id": (
        {"components": [row(button("x" * 101))]},
        ("components", 0, "components", 0, "custom_id"),
        "BASE_TYPE_BAD_LENGTH",
    ),
    "a long label": (
        {"components": [row(button(label="x" * 81))]},
        ("components", 0, "components", 0, "label"),
        "BASE_TYPE_MAX_LENGTH",
    ),
    "a button beside a menu": (
        {"components": [row(button(), select())]},
        ("components", 0, "components", 1),
        "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
    ),
    "26 options": (
        {"components": [row(select(26))]},
        ("components", 0, "components", 0, "options"),
        "BASE_TYPE_BAD_LENGTH",
    ),
    "more choices than options": (
        {"components": [row(select(2, max_values=3))]},
        ("components", 0, "components", 0, "options"),
        "BASE_TYPE_BAD_LENGTH",
    ),
    "an option's value twice": (
        {"components": [row(select() | {"options": [{"label": "a", "value": "v"}, {"label": "b", "value": "v"}]})]},
        ("components", 0, "components", 0, "options", 1),
        "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
    ),
    "an empty option description is fine, a long one is not": (
        {"components": [row(select() | {"options": [{"label": "a", "value": "v", "description": "x" * 101}]})]},
        ("components", 0, "components", 0, "options", 0, "description"),
        "BASE_TYPE_MAX_LENGTH",
    ),
    "a long placeholder": (
        {"components": [row(select(placeholder="x" * 151))]},
        ("components", 0, "components", 0, "placeholder"),
        "BASE_TYPE_MAX_LENGTH",
    ),
    "a card without its flag": ({"components": [text("x")]}, ("components", 0, "type"), "UNION_TYPE_CHOICES"),
    "text beside a card": (
        {"flags": V2, "content": "x", "components": [text("x")]},
        ("content",),
        "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    ),
    "embeds beside a card": (
        {"flags": V2, "embeds": [{"title": "x"}], "components": [text("x")]},
        ("embeds",),
        "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
    ),
    "4001 characters of card": (
        {"flags": V2, "components": [text("x" * 2000), text("x" * 2001)]},
        ("components",),
        "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
    ),
    "41 components": (
        {"flags": V2, "components": [{"type": 17, "components": [text("x")] * 20}, text("x")] + [text("x")] * 19},
        ("components",),
        "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
    ),
    "a box in a box": (
        {"flags": V2, "components": [{"type": 17, "components": [{"type": 17, "components": [text("x")]}]}]},
        ("components", 0, "components", 0, "type"),
        "UNION_TYPE_CHOICES",
    ),
    "a shown file that is not there": (
        {"flags": V2, "components": [{"type": 13, "file": {"url": "attachment://a.txt"}}]},
        ("components", 0, "file", "url"),
        "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
    ),
    "a nonce of 26 characters": ({"content": "x", "nonce": "n" * 26}, ("nonce",), "BASE_TYPE_MAX_LENGTH"),
    "a reply to nothing": (
        {"content": "x", "message_reference": {"message_id": "1"}},
        ("message_reference",),
        "REPLIES_UNKNOWN_MESSAGE",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_a_message_is_refused_for(discord_server: DiscordServer, send: Client, name: str) -> None:
    body, path, code = REFUSED[name]
    reply = await send("POST", f"/channels/{discord_server.channel.id}/messages", body)
    assert (reply.status, reply.code) == (400, 50035)
    assert reply.error_at(*path) == code
    assert discord_server.ada.messages(discord_server.channel) == []
    assert discord_server.discord.violations


TAKEN = {
    "2000 characters": {"content": "x" * 2000},
    "five full rows": {"components": [row(*(button(f"{r}{b}") for b in range(5))) for r in range(5)]},
    "25 options": {"components": [row(select(25, max_values=25))]},
    "4000 characters of card": {"flags": V2, "components": [text("x" * 4000)]},
    "40 components": {"flags": V2, "components": [text("x")] * 40},
    "an empty description": {
        "components": [row(select() | {"options": [{"label": "a", "value": "v", "description": ""}]})]
    },
}


@pytest.mark.parametrize("name", TAKEN)
async def test_a_message_is_taken_with(discord_server: DiscordServer, send: Client, name: str) -> None:
    reply = await send("POST", f"/channels/{discord_server.channel.id}/messages", TAKEN[name])
    assert reply.status == 200, reply.body
    assert not [each for each in discord_server.discord.violations if "description" not in each]


async def test_an_empty_message_is_refused(discord_server: DiscordServer, send: Client) -> None:
    for body in ({}, {"content": "  \n "}, {"content": None, "embeds": []}):
        reply = await send("POST", f"/channels/{discord_server.channel.id}/messages", body)
        assert (reply.status, reply.code) == (400, 50006)


async def test_a_card_in_three_byte_letters_breaks_discord(discord_server: DiscordServer, send: Client) -> None:
    body = {"flags": V2, "components": [text("字" * 3400)]}
    reply = await send("POST", f"/channels/{discord_server.channel.id}/messages", body)
    assert reply.status == 500  # discord-api-docs#8554


async def test_a_card_stays_a_card(discord_server: DiscordServer, send: Client) -> None:
    messages = f"/channels/{discord_server.channel.id}/messages"
    card = (await send("POST", messages, {"flags": V2, "components": [text("x")]})).body["id"]
    reply = await send("PATCH", f"{messages}/{card}", {"content": "plain"})
    assert reply.error_at("content") == "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
    reply = await send("PATCH", f"{messages}/{card}", {"flags": 0, "components": [row(button())]})
    assert reply.status == 400
    reply = await send("PATCH", f"{messages}/{card}", {"components": [text("y")]})
    assert reply.status == 200
    assert reply.body["flags"] & V2
    plain = (await send("POST", messages, {"content": "plain"})).body["id"]
    reply = await send("PATCH", f"{messages}/{plain}", {"flags": V2, "components": [text("y")]})
    assert reply.status == 400
    reply = await send("PATCH", f"{messages}/{plain}", {"flags": V2, "content": None, "components": [text("y")]})
    assert reply.status == 200


async def test_a_file_of_more_than_ten_mebibytes_is_too_large(discord_server: DiscordServer, send: Client) -> None:
    messages = f"/channels/{discord_server.channel.id}/messages"
    reply = await send("POST", messages, {"content": "x"}, big=b"x" * (10 * 1024 * 1024 + 1))
    assert (reply.status, reply.code) == (413, 40005)
    reply = await send("POST", messages, {"content": "x"}, fits=b"x" * (10 * 1024 * 1024))
    assert reply.status == 200


async def test_attachments_are_kept_replaced_and_removed(discord_server: DiscordServer, send: Client) -> None:
    messages = f"/channels/{discord_server.channel.id}/messages"
    sent = (await send("POST", messages, {"content": "x"}, one=b"1", two=b"2")).body
    first, second = sent["attachments"]
    assert [first["filename"], second["filename"]] == ["one.txt", "two.txt"]
    kept = await send("PATCH", f"{messages}/{sent['id']}", {"attachments": [{"id": first["id"]}]})
    assert [each["id"] for each in kept.body["attachments"]] == [first["id"]]
    wanted = {"attachments": [{"id": 0, "filename": "three.txt"}]}
    replaced = await send("PATCH", f"{messages}/{sent['id']}", wanted, three=b"3")
    assert [each["filename"] for each in replaced.body["attachments"]] == ["three.txt"]
    removed = await send("PATCH", f"{messages}/{sent['id']}", {"attachments": []})
    assert removed.body["attachments"] == []


async def test_the_same_enforced_nonce_is_the_same_message(discord_server: DiscordServer, send: Client) -> None:
    body = {"content": "once", "nonce": "abc", "enforce_nonce": True}
    first = await send("POST", f"/channels/{discord_server.channel.id}/messages", body)
    again = await send("POST", f"/channels/{discord_server.channel.id}/messages", body)
    assert again.body["id"] == first.body["id"]
    assert len(discord_server.ada.messages(discord_server.channel)) == 1
    loose = {"content": "twice", "nonce": "abc"}
    await send("POST", f"/channels/{discord_server.channel.id}/messages", loose)
    assert len(discord_server.ada.messages(discord_server.channel)) == 2


async def test_only_allowed_mentions_ping(discord_server: DiscordServer, send: Client) -> None:
    ada, eve = discord_server.ada.user, discord_server.eve.user
    content = f"{ada.mention} {eve.mention} @everyone `{eve.mention}`"
    for allowed, pinged in (
        ({"parse": []}, set()),
        ({"parse": ["users"]}, {discord_server.ada.user, discord_server.eve.user}),
        ({"users": [str(discord_server.ada.user.id)]}, {discord_server.ada.user}),
        (None, {discord_server.ada.user, discord_server.eve.user}),
    ):
        body = {"content": content} | ({"allowed_mentions": allowed} if allowed is not None else {})
        await send("POST", f"/channels/{discord_server.channel.id}/messages", body)
        message = discord_server.ada.messages(discord_server.channel)[-1]
        assert set(message.pings) == pinged
        assert not message.everyone_pinged  # the bot has no permission for it
    both = {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}}
    reply = await send("POST", f"/channels/{discord_server.channel.id}/messages", both)
    assert reply.error_at("allowed_mentions", "users") == "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"


async def test_a_denied_channel_gives_no_access_or_no_permission(discord_server: DiscordServer, send: Client) -> None:
    messages, bot = f"/channels/{discord_server.channel.id}/messages", discord_server.discord.world.bot
    discord_server.channel.deny(bot, Permission.SEND_MESSAGES)
    reply = await send("POST", messages, {"content": "x"})
    assert (reply.status, reply.code) == (403, 50013)
    discord_server.channel.deny(bot, Permission.VIEW_CHANNEL)
    reply = await send("POST", messages, {"content": "x"})
    assert (reply.status, reply.code) == (403, 50001)
    discord_server.channel.allow(bot)
    assert (await send("POST", messages, {"content": "x"})).status == 200
    thread = (await send("POST", f"/channels/{discord_server.channel.id}/threads", {"name": "t", "type": 11})).body[
        "id"
    ]
    discord_server.channel.deny(bot, Permission.SEND_MESSAGES_IN_THREADS)
    reply = await send("POST", f"/channels/{thread}/messages", {"content": "x"})
    assert (reply.status, reply.code) == (403, 50013)


async def test_archived_and_locked_threads_refuse(discord_server: DiscordServer, send: Client) -> None:
    made = await send("POST", f"/channels/{discord_server.channel.id}/threads", {"name": "t", "type": 11})
    assert made.status == 201
    path = f"/channels/{made.body['id']}"
    sent = (await send("POST", f"{path}/messages", {"content": "x"})).body["id"]
    thread = discord_server.discord.world.channel(int(made.body["id"]))
    await discord_server.ada.archive(thread)
    assert (await send("PATCH", f"{path}/messages/{sent}", {"content": "y"})).code == 50083
    assert (await send("PATCH", path, {"name": "u"})).code == 50083
    await discord_server.ada.archive(thread, lock=True)
    assert (await send("POST", f"{path}/messages", {"content": "y"})).code == 50083
    await discord_server.ada.unarchive(thread)
    assert (await send("POST", f"{path}/messages", {"content": "y"})).status == 200


async def test_threads_have_names_and_one_message_has_one_thread(discord_server: DiscordServer, send: Client) -> None:
    message = await discord_server.ada.write(discord_server.channel, "start")
    path = f"/channels/{discord_server.channel.id}/messages/{message.id}/threads"
    assert (await send("POST", path, {"name": "x" * 101})).error_at("name") == "BASE_TYPE_BAD_LENGTH"
    assert (await send("POST", path, {})).error_at("name") == "BASE_TYPE_REQUIRED"
    odd = {"name": "x", "auto_archive_duration": 5}
    assert (await send("POST", path, odd)).error_at("auto_archive_duration") == "BASE_TYPE_CHOICES"
    assert (await send("POST", path, {"name": "x" * 100})).status == 201
    assert (await send("POST", path, {"name": "again"})).code == 160004


async def test_nobody_else_s_message_can_be_edited(discord_server: DiscordServer, send: Client) -> None:
    message = await discord_server.ada.write(discord_server.channel, "mine")
    path = f"/channels/{discord_server.channel.id}/messages/{message.id}"
    assert (await send("PATCH", path, {"content": "yours"})).code == 50005
    assert (await send("DELETE", path)).code == 50013


async def test_bad_requests_have_discord_s_answers(discord_server: DiscordServer, send: Client) -> None:
    assert (await send("GET", "/channels/abc")).error_at("channel_id") == "NUMBER_TYPE_COERCE"
    assert (await send("GET", "/channels/1")).code == 10003
    assert (await send("GET", "/guilds/1")).code == 10004
    assert (await send("GET", f"/channels/{discord_server.channel.id}/messages/1")).code == 10008
    assert (await send("GET", "/nothing")).status == 404
    assert (await send("POST", "/interactions/1/token/callback", {"type": 4})).code == 10062
    application = discord_server.discord.application_id
    assert (await send("POST", f"/webhooks/{application}/token", {"content": "x"})).code == 10015
    async with send.session.post(
        f"{discord_server.discord.rest_url}/channels/{discord_server.channel.id}/messages",
        data=b"{",
        headers={"Content-Type": "application/json"},
    ) as response:
        assert (response.status, (await response.json())["code"]) == (400, 50109)
    async with client(discord_server.discord, "wrong.token.here") as stranger:
        reply = await stranger("GET", "/users/@me")
        assert (reply.status, reply.body) == (401, {"message": "401: Unauthorized", "code": 0})


COMMANDS = {
    "an upper-case name": ({"name": "Status", "description": "x"}, ("name",), "APPLICATION_COMMAND_INVALID_NAME"),
    "a long name": ({"name": "x" * 33, "description": "x"}, ("name",), "BASE_TYPE_BAD_LENGTH"),
    "no description": ({"name": "x"}, ("description",), "BASE_TYPE_REQUIRED"),
    "26 options": (
        {
            "name": "x",
            "description": "x",
            "options": [{"name": f"o{n}", "description": "x", "type": 3} for n in range(26)],
        },
        ("options",),
        "BASE_TYPE_MAX_LENGTH",
    ),
    "a required option after an optional one": (
        {
            "name": "x",
            "description": "x",
            "options": [
                {"name": "a", "description": "x", "type": 3},
                {"name": "b", "description": "x", "type": 3, "required": True},
            ],
        },
        ("options", 1),
        "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
async def test_a_command_is_refused_for(discord_server: DiscordServer, send: Client, name: str) -> None:
    body, path, code = COMMANDS[name]
    application = discord_server.discord.application_id
    reply = await send("PUT", f"/applications/{application}/commands", [body])
    assert reply.status == 400
    assert reply.error_at(0, *path) == code
