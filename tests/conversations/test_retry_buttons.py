"""After a turn that went wrong, a button helps: resume, try again, continue when the limit is lifted."""

import json
import time
from pathlib import Path

from sandbox.script import RATE_LIMITED, RawLine, Say, Use, script
from tests.fixtures.house import House, buttons
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop


async def test_a_process_that_died_is_resumed_with_a_button(house: House) -> None:
    async with house.bot():
        thread = await house.say("break off")
        ended = await house.ada.sees(thread, "Segmentation fault", within=20)
        assert buttons(ended) == ["Resume"]
        await house.ada.click(ended, "Resume")
        await house.ada.sees(thread, "You said: Go on from where you were interrupted.", within=20)
        assert buttons(ended) == []


async def test_what_never_began_is_tried_again(house: House) -> None:
    async with house.bot():
        thread = await house.say("never begin")
        ended = await house.ada.sees(thread, lambda seen: buttons(seen) == ["Try again"], within=20)
        await house.ada.click(ended, "Try again")
        await house.ada.sees(thread, lambda seen: seen.id > ended.id and buttons(seen) == ["Try again"], within=20)
        assert buttons(ended) == []


async def test_the_button_of_an_earlier_bot_still_works(house: House) -> None:
    async with house.bot():
        thread = await house.say("break off")
        ended = await house.ada.sees(thread, lambda seen: buttons(seen) == ["Resume"], within=20)
    async with house.bot():
        await house.ada.click(ended, "Resume")
        await house.ada.sees(thread, "You said: Go on from where you were interrupted.", within=20)
        assert buttons(ended) == []


async def test_writing_something_else_takes_the_button_away(house: House) -> None:
    async with house.bot():
        thread = await house.say("break off")
        ended = await house.ada.sees(thread, lambda seen: buttons(seen) == ["Resume"], within=20)
        await house.ada.write(thread, "Never mind")
        await house.ada.sees(thread, lambda seen: seen is ended and not buttons(seen), within=20)


def limited(workshop: Workshop, root: Path, resets: float) -> House:
    reached = {"status": "rejected", "rateLimitType": "five_hour", "resetsAt": int(resets)}
    told = RawLine(json.dumps({"type": "rate_limit_event", "rate_limit_info": reached}))
    scripts = {
        "work hard": script([Say("So much to do."), told, Use("Read", {"file_path": "nothing.txt"})], [RATE_LIMITED])
    }
    house = scripted(workshop, root, scripts)
    house.environment = {**house.environment, "CLAUDE_CODE_MAX_RETRIES": "0"}
    return house


async def test_a_limit_that_was_reached_is_waited_for_over_a_restart(workshop: Workshop, tmp_path: Path) -> None:
    house = limited(workshop, tmp_path, time.time() + 6)
    async with house.bot():
        thread = await house.say("work hard")
        ended = await house.card(thread, "The 5-hour limit is reached")
        assert buttons(ended) == ["Continue when it resets", "Continue now"]
        await house.ada.click(ended, "Continue when it resets")
        note = await house.ada.sees(thread, "runs <t:")
        assert buttons(note) == ["Send now", "Take back"]
    async with house.bot():
        await house.ada.sees(thread, "You said: Go on from where you were interrupted.", within=20)
        await house.ada.sees_gone(note)


async def test_what_was_put_off_can_be_sent_now(workshop: Workshop, tmp_path: Path) -> None:
    house = limited(workshop, tmp_path, time.time() + 3600)
    async with house.bot():
        thread = await house.say("work hard")
        ended = await house.card(thread, "The 5-hour limit is reached")
        await house.ada.click(ended, "Continue when it resets")
        note = await house.ada.sees(thread, "runs <t:")
        await house.ada.write(thread, "Is anybody there?")
        await house.ada.sees(thread, "You said: Is anybody there?", within=20)
        await house.ada.click(note, "Send now")
        await house.ada.sees(thread, "You said: Go on from where you were interrupted.", within=20)
