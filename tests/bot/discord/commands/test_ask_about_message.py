"""Tests *Ask Claude about this* in a message's menu, with the real `claude`."""

import pytest

from sandbox.discord import Upload
from sandbox.discord.state import messages
from sandbox.discord.state.messages import MessageDraft
from sandbox.messages_api.server import MessagesApi
from tests.fixtures.bot_setup import BotSetup


async def test_a_message_can_be_asked_about(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    async with setup.bot():
        message = await setup.discord_server.eve.write(setup.channel, "The build is broken again")
        form = await setup.ada.context_menu(message, "Ask Claude about this")
        await setup.ada.submit(form.modal, {"What should Claude do?": "Find out why"})
        thread = await setup.ada.sees_thread(setup.channel, "Find out why")
        await setup.done(thread)
    heard = next(each for each in api.calls if "Find out why" in each.seen.prompt)
    assert "a message by eve:\n> The build is broken again" in heard.seen.prompt


async def test_a_message_of_another_bot_can_be_asked_about_and_what_is_left_out_is_said(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.discord.incoming.attachment_download.LARGEST_FILE", 10)
    embed = {"title": "Build 7 failed", "fields": [{"name": "Step", "value": "lint"}]}
    draft = MessageDraft(embeds=(embed,), uploads=(Upload("build.log", b"x" * 11),))
    async with setup.bot():
        message = messages.write(setup.discord.world, setup.channel, setup.discord_server.eve.user, draft)
        form = await setup.ada.context_menu(message, "Ask Claude about this")
        await setup.ada.submit(form.modal, {"What should Claude do?": "Find out why"})
        thread = await setup.ada.sees_thread(setup.channel, "Find out why")
        await setup.ada.sees(thread, "`build.log` was left out")
        await setup.done(thread)
        assert "> Build 7 failed\n> Step\n> lint" in setup.text(thread)
        assert f"<@{setup.ada.user.id}>:\n> Find out why" in setup.text(thread)
