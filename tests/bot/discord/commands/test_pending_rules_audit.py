"""Tests /pending, /rules and /audit in Discord: who sees open requests, and who can remove a rule."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.audit_log import verify
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.discord.state.entities import walk
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

TOUCH = Use("Bash", {"command": "touch made.txt"})
SCRIPTS = {
    "touch": script([TOUCH], [Say("Went on.")]),
    "destroy": script([Use("Bash", {"command": "rm -rf src"})], [Say("Went on.")]),
    "twice": script([TOUCH], [Use("Bash", {"command": "touch second.txt"})], [Say("Went on.")]),
}


@pytest.fixture
async def setup(discord_server: DiscordServer, tmp_path: Path) -> AsyncIterator[BotSetup]:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    yield setup
    assert verify(setup.state / "state.sqlite3").fault is None


async def asked(
    setup: BotSetup, prompt: str = "touch", heading: str = "touch made.txt"
) -> tuple[DiscordChannel, DiscordMessage]:
    thread = await setup.say(prompt)
    return thread, await setup.card(thread, heading)


async def test_a_rule_can_be_taken_back_by_those_who_may_decide_only(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread, card = await asked(setup)
        await setup.ada.write(thread, "always")
        await setup.ada.sees(thread, "Went on.")
        (kept,) = running.store.rules("demo")
        assert str(kept.rule) == "Bash(touch made.txt)"
        for values in ([str(kept.id)], ["999"], ["x"], ["0", "1"], ["٣"]):
            answer = await setup.discord_server.eve.forge(card, "rule:remove", values)
            assert answer.ephemeral
        assert running.store.rules("demo") == [kept]
        await setup.ada.write(thread, "touch")
        await setup.done(thread, 2)
        assert "by rule `Bash(touch made.txt)`" in setup.text(thread)
        message = await (await setup.ada.command(thread, "rules")).finished()
        assert f"<@{setup.ada.user.id}>" in shown(message)
        menu = next(each for each in walk(message.components) if each.get("custom_id") == "rule:remove")
        assert menu["options"][0]["description"] == "in this conversation"
        await setup.ada.select(message, 0, ["Bash(touch made.txt)"])
        assert "No rules yet" in shown(message)
        await setup.ada.write(thread, "touch")
        await setup.card(thread, "touch made.txt")


async def test_pending_shows_what_waits_everywhere_to_those_it_concerns(setup: BotSetup) -> None:
    async with setup.bot():
        first, card = await asked(setup)
        second, _ = await asked(setup)
        message = await (await setup.ada.command(first, "pending")).finished()
        text = shown(message)
        assert "2 open requests" in text
        assert f"/{first.id}/{card.id}" in text
        assert f"/{second.id}/" in text
        refused = await setup.discord_server.eve.command(first, "pending")
        assert "touch" not in refused.text


async def test_the_record_can_be_read_in_discord(setup: BotSetup) -> None:
    async with setup.bot():
        thread, card = await asked(setup)
        await setup.ada.click(card, "Deny")
        await setup.done(thread)
        text = shown(await (await setup.ada.command(thread, "audit")).finished())
        assert f"denied by <@{setup.ada.user.id}>, button" in text
        assert "`touch made.txt`" in text
        assert "1 entry, intact" in text
