"""Tests attempts to decide a request without the right to, or to make a different one run."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.decisions.card_answers import UNKNOWN
from bot.refusals import MAY_NOT_DECIDE, SECOND_PERSON
from bot.store.audit_log import entries, verify
from sandbox.discord import DiscordChannel, DiscordMessage, DiscordPerson
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import add_developer, scripted, ticket_of

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


def set_roles(setup: BotSetup, person: DiscordPerson, roles: list[Any]) -> None:
    guild = setup.discord_server.guild
    member = next(member for member in guild.members.values() if member.user is person.user)
    setup.discord.world.set_roles(guild, member, roles)


async def test_a_role_lost_between_card_and_click_no_longer_decides(setup: BotSetup) -> None:
    async with setup.bot():
        bob = add_developer(setup, "bob")
        thread, card = await asked(setup)
        set_roles(setup, bob, [])
        assert MAY_NOT_DECIDE in (await bob.click(card, "Allow")).text
        assert "Allow" in buttons(card)
        set_roles(setup, bob, [setup.discord_server.developers])
        await bob.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")


async def test_a_role_lost_while_the_form_is_open_no_longer_decides(setup: BotSetup) -> None:
    async with setup.bot():
        bob = add_developer(setup, "bob")
        _, card = await asked(setup)
        form = await bob.click(card, "Edit…")
        set_roles(setup, bob, [])
        answer = await bob.submit(form.modal, {"Command": "touch evil.txt"})
        assert MAY_NOT_DECIDE in answer.text
        assert "Allow" in buttons(card)


async def test_the_ticket_of_another_conversation_can_not_be_decided_from_here(setup: BotSetup) -> None:
    async with setup.bot():
        _, here = await asked(setup)
        _, there = await asked(setup)
        answer = await setup.ada.forge(here, f"ask:{ticket_of(there)}:allow")
        assert UNKNOWN in answer.text
        assert "Allow" in buttons(here)
        assert "Allow" in buttons(there)


async def test_a_press_that_is_replayed_decides_nothing_that_comes_after_it(setup: BotSetup) -> None:
    async with setup.bot():
        thread, first = await asked(setup, "twice")
        pressed = f"ask:{ticket_of(first)}:allow"
        await setup.ada.click(first, "Allow")
        second = await setup.card(thread, "touch second.txt")
        for message in (first, second):
            again = await setup.ada.forge(message, pressed)
            assert again.ephemeral
            assert "already decided this" in again.text
        assert "Allow" in buttons(second)
        assert not (setup.project / "second.txt").exists()


async def test_a_hundred_presses_in_the_same_moment_are_one_decision(setup: BotSetup) -> None:
    async with setup.bot():
        people = [setup.ada, *(add_developer(setup, f"add_developer{number}") for number in range(4))]
        thread, card = await asked(setup)
        name = ticket_of(card)
        verbs = ("allow", "deny")
        presses = [person.forge(card, f"ask:{name}:{verbs[n % 2]}") for n in range(10) for person in people]
        answers = await asyncio.gather(*presses)
        assert sum(not answer.ephemeral for answer in answers) == 1
        await setup.done(thread)
    decided = [kept.entry for kept in entries(setup.state / "state.sqlite3")]
    assert len(decided) == 1
    assert (decided[0].outcome == "allowed") == (setup.project / "made.txt").exists()


async def test_a_click_at_the_moment_of_withdrawal_is_told_so_or_counts_and_never_both(setup: BotSetup) -> None:
    async with setup.bot():
        thread, card = await asked(setup)
        name = ticket_of(card)
        stopping, click = await asyncio.gather(
            setup.ada.command(thread, "stop"), add_developer(setup, "bob").forge(card, f"ask:{name}:allow")
        )
        await stopping.finished()
        await setup.ada.sees(thread, lambda message: message is card and not buttons(message), within=20)
        if click.ephemeral:
            assert "no longer waiting" in click.text
            assert "Withdrawn" in shown(card)
    assert len(entries(setup.state / "state.sqlite3")) == 1


async def test_a_form_that_was_not_offered_changes_nothing(setup: BotSetup) -> None:
    async with setup.bot():
        _, card = await asked(setup)
        form = await setup.ada.click(card, "Edit…")
        await setup.ada.click(card, "Deny")
        late = await setup.ada.submit(form.modal, {"Command": "touch evil.txt"})
        assert late.ephemeral
        assert "already decided this" in late.text
    assert not list(setup.project.iterdir())


async def test_a_warning_needs_a_second_person_where_that_is_wanted(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS, decisions={"second_person": True})
    async with setup.bot():
        bob = add_developer(setup, "bob")
        thread, card = await asked(setup, "destroy", "rm -rf src")
        assert f"Someone other than <@{setup.ada.user.id}> must allow this." in shown(card)
        assert SECOND_PERSON in (await setup.ada.click(card, "Allow")).text
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, SECOND_PERSON)
        form = await setup.ada.click(card, "Edit…")
        assert SECOND_PERSON in (await setup.ada.submit(form.modal, {"Command": "ls"})).text
        assert "Allow" in buttons(card)
        await bob.click(card, "Allow")
        await setup.done(thread)
        assert f"<@{bob.user.id}>" in shown(card)


async def test_what_carries_no_warning_needs_no_second_person_unless_it_is_edited_to(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    setup = scripted(discord_server, tmp_path, SCRIPTS, decisions={"second_person": True})
    async with setup.bot():
        thread, card = await asked(setup)
        form = await setup.ada.click(card, "Edit…")
        assert SECOND_PERSON in (await setup.ada.submit(form.modal, {"Command": "rm -rf /"})).text
        await setup.ada.click(card, "Allow")
        await setup.done(thread)
        _, other = await asked(setup, "destroy", "rm -rf src")
        await setup.ada.click(other, "Deny")
        await setup.becomes(other, "Denied")
