"""Tests that one *Allow* computes nothing twice, from the request to the decided card."""

import functools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.permission_requests import permission_request, request_warnings
from bot.permission_requests.tool_input import read
from bot.render.cards import tool
from bot.store import tickets
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Then I went on.")])}


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often each piece of work is done."""
    done: Counter[str] = Counter()

    def count(place: Any, name: str, as_: str) -> None:
        work: Callable[..., Any] = getattr(place, name)

        @functools.wraps(work)
        def counted(*args: Any, **named: Any) -> Any:
            done[as_] += 1
            return work(*args, **named)

        monkeypatch.setattr(place, name, counted)

    assert permission_request.read is read
    count(permission_request, "read", "parsed")
    count(request_warnings, "about_command", "assessed")
    count(tickets, "_load_ticket", "decoded")
    count(tool, "draw", "drawn")
    return done


async def test_one_allow_parses_once_assesses_once_and_draws_each_state_of_the_card_once(
    discord_server: DiscordServer, tmp_path: Path, counts: Counter[str]
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        assert counts == {"parsed": 1, "assessed": 1, "drawn": 1}, "when it is asked"
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Then I went on.")
        await setup.done(thread)
        assert buttons(card) == []
        assert counts == {"parsed": 1, "assessed": 1, "drawn": 2}, "when it is settled"


async def test_an_edited_request_is_read_and_assessed_anew(
    discord_server: DiscordServer, tmp_path: Path, counts: Counter[str]
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS, decisions={"second_person": True})
    async with setup.bot():
        thread = await setup.say("touch")
        card = await setup.card(thread, "touch made.txt")
        form = await setup.ada.click(card, "Edit…")
        assert form.modal is not None
        await setup.ada.submit(form.modal, {form.modal.fields[0].custom_id: "touch other.txt"})
        await setup.ada.sees(thread, "Then I went on.")
        assert (setup.project / "other.txt").exists()
        assert counts == {"parsed": 2, "assessed": 2, "drawn": 2}
