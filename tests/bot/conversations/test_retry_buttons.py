"""Tests the buttons after a failed turn: resume, try again, continue when the limit resets."""

import json
import time
from pathlib import Path

from sandbox.scripts.script import RATE_LIMITED, RawLine, Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted


async def test_a_process_that_died_is_resumed_with_a_button(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("break off")
        ended = await setup.ada.sees(thread, "Segmentation fault", within=20)
        assert buttons(ended) == ["Resume"]
        await setup.ada.click(ended, "Resume")
        await setup.ada.sees(thread, "You said: Continue from where you were interrupted.", within=20)
        assert buttons(ended) == []


async def test_what_never_began_is_tried_again(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("never begin")
        ended = await setup.ada.sees(thread, lambda seen: buttons(seen) == ["Try again"], within=20)
        await setup.ada.click(ended, "Try again")
        await setup.ada.sees(thread, lambda seen: seen.id > ended.id and buttons(seen) == ["Try again"], within=20)
        assert buttons(ended) == []


async def test_the_button_of_an_earlier_bot_still_works(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("break off")
        ended = await setup.ada.sees(thread, lambda seen: buttons(seen) == ["Resume"], within=20)
    async with setup.bot():
        await setup.ada.click(ended, "Resume")
        await setup.ada.sees(thread, "You said: Continue from where you were interrupted.", within=20)
        assert buttons(ended) == []


async def test_writing_something_else_takes_the_button_away(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("break off")
        ended = await setup.ada.sees(thread, lambda seen: buttons(seen) == ["Resume"], within=20)
        await setup.ada.write(thread, "Never mind")
        await setup.ada.sees(thread, lambda seen: seen is ended and not buttons(seen), within=20)


def limited(discord_server: DiscordServer, root: Path, resets: float) -> BotSetup:
    reached = {"status": "rejected", "rateLimitType": "five_hour", "resetsAt": int(resets)}
    told = RawLine(json.dumps({"type": "rate_limit_event", "rate_limit_info": reached}))
    scripts = {
        "work hard": script([Say("So much to do."), told, Use("Read", {"file_path": "nothing.txt"})], [RATE_LIMITED])
    }
    setup = scripted(discord_server, root, scripts)
    setup.environment = {**setup.environment, "CLAUDE_CODE_MAX_RETRIES": "0"}
    return setup


async def test_a_limit_that_was_reached_is_waited_for_over_a_restart(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = limited(discord_server, tmp_path, time.time() + 6)
    async with setup.bot():
        thread = await setup.say("work hard")
        ended = await setup.card(thread, "The 5-hour limit is reached")
        assert buttons(ended) == ["Continue when it resets", "Continue now"]
        await setup.ada.click(ended, "Continue when it resets")
        note = await setup.ada.sees(thread, "runs <t:")
        assert buttons(note) == ["Send now", "Cancel"]
    async with setup.bot():
        await setup.ada.sees(thread, "You said: Continue from where you were interrupted.", within=20)
        await setup.ada.sees_gone(note)


async def test_a_scheduled_prompt_can_be_sent_now(discord_server: DiscordServer, tmp_path: Path) -> None:
    setup = limited(discord_server, tmp_path, time.time() + 3600)
    async with setup.bot():
        thread = await setup.say("work hard")
        ended = await setup.card(thread, "The 5-hour limit is reached")
        await setup.ada.click(ended, "Continue when it resets")
        note = await setup.ada.sees(thread, "runs <t:")
        await setup.ada.write(thread, "Is anybody there?")
        await setup.ada.sees(thread, "You said: Is anybody there?", within=20)
        await setup.ada.click(note, "Send now")
        await setup.ada.sees(thread, "You said: Continue from where you were interrupted.", within=20)
