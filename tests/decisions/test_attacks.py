"""What somebody might try in order to have a request decided who may not, or to have another one run."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.decisions.card_answers import NOT_YOURS, SECOND_PERSON, UNKNOWN
from bot.store.audit_log import entries, verify
from sandbox.discord import DiscordChannel, DiscordMessage, DiscordPerson
from sandbox.discord.state.entities import walk
from sandbox.script import Say, Use, script
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import maker, scripted, ticket_of
from tests.fixtures.workshop import Workshop

TOUCH = Use("Bash", {"command": "touch made.txt"})
SCRIPTS = {
    "touch": script([TOUCH], [Say("Went on.")]),
    "destroy": script([Use("Bash", {"command": "rm -rf src"})], [Say("Went on.")]),
    "twice": script([TOUCH], [Use("Bash", {"command": "touch second.txt"})], [Say("Went on.")]),
}


@pytest.fixture
async def house(workshop: Workshop, tmp_path: Path) -> AsyncIterator[House]:
    house = scripted(workshop, tmp_path, SCRIPTS)
    yield house
    assert verify(house.state / "state.sqlite3").fault is None


async def asked(
    house: House, prompt: str = "touch", heading: str = "touch made.txt"
) -> tuple[DiscordChannel, DiscordMessage]:
    thread = await house.say(prompt)
    return thread, await house.card(thread, heading)


def set_roles(house: House, person: DiscordPerson, roles: list[Any]) -> None:
    guild = house.workshop.guild
    member = next(member for member in guild.members.values() if member.user is person.user)
    house.discord.world.set_roles(guild, member, roles)


async def test_a_role_lost_between_card_and_click_no_longer_decides(house: House) -> None:
    async with house.bot():
        bob = maker(house, "bob")
        thread, card = await asked(house)
        set_roles(house, bob, [])
        assert NOT_YOURS in (await bob.click(card, "Allow")).text
        assert "Allow" in buttons(card)
        set_roles(house, bob, [house.workshop.makers])
        await bob.click(card, "Allow")
        await house.ada.sees(thread, "Went on.")


async def test_a_role_lost_while_the_form_is_open_no_longer_decides(house: House) -> None:
    async with house.bot():
        bob = maker(house, "bob")
        _, card = await asked(house)
        form = await bob.click(card, "Edit…")
        set_roles(house, bob, [])
        answer = await bob.submit(form.modal, {"Command": "touch evil.txt"})
        assert NOT_YOURS in answer.text
        assert "Allow" in buttons(card)


async def test_the_ticket_of_another_conversation_can_not_be_decided_from_here(house: House) -> None:
    async with house.bot():
        _, here = await asked(house)
        _, there = await asked(house)
        answer = await house.ada.forge(here, f"ask:{ticket_of(there)}:allow")
        assert UNKNOWN in answer.text
        assert "Allow" in buttons(here)
        assert "Allow" in buttons(there)


async def test_a_press_that_is_replayed_decides_nothing_that_comes_after_it(house: House) -> None:
    async with house.bot():
        thread, first = await asked(house, "twice")
        pressed = f"ask:{ticket_of(first)}:allow"
        await house.ada.click(first, "Allow")
        second = await house.card(thread, "touch second.txt")
        for message in (first, second):
            again = await house.ada.forge(message, pressed)
            assert again.ephemeral
            assert "was first" in again.text
        assert "Allow" in buttons(second)
        assert not (house.project / "second.txt").exists()


async def test_a_hundred_presses_in_the_same_moment_are_one_decision(house: House) -> None:
    async with house.bot():
        people = [house.ada, *(maker(house, f"maker{number}") for number in range(4))]
        thread, card = await asked(house)
        name = ticket_of(card)
        verbs = ("allow", "deny")
        presses = [person.forge(card, f"ask:{name}:{verbs[n % 2]}") for n in range(10) for person in people]
        answers = await asyncio.gather(*presses)
        assert sum(not answer.ephemeral for answer in answers) == 1
        await house.done(thread)
    decided = [kept.entry for kept in entries(house.state / "state.sqlite3")]
    assert len(decided) == 1
    assert (decided[0].outcome == "allowed") == (house.project / "made.txt").exists()


async def test_a_click_at_the_moment_of_withdrawal_is_told_so_or_counts_and_never_both(house: House) -> None:
    async with house.bot():
        thread, card = await asked(house)
        name = ticket_of(card)
        stopping, click = await asyncio.gather(
            house.ada.command(thread, "stop"), maker(house, "bob").forge(card, f"ask:{name}:allow")
        )
        await stopping.finished()
        await house.ada.sees(thread, lambda message: message is card and not buttons(message), within=20)
        if click.ephemeral:
            assert "no longer waits" in click.text
            assert "Withdrawn" in shown(card)
    assert len(entries(house.state / "state.sqlite3")) == 1


async def test_a_form_that_was_not_offered_changes_nothing(house: House) -> None:
    async with house.bot():
        _, card = await asked(house)
        form = await house.ada.click(card, "Edit…")
        await house.ada.click(card, "Deny")
        late = await house.ada.submit(form.modal, {"Command": "touch evil.txt"})
        assert late.ephemeral
        assert "was first" in late.text
    assert not list(house.project.iterdir())


async def test_a_rule_can_be_taken_back_by_those_who_may_decide_only(house: House) -> None:
    async with house.bot() as conversations:
        thread, card = await asked(house)
        await house.ada.write(thread, "always")
        await house.ada.sees(thread, "Went on.")
        (kept,) = conversations.store.rules("demo")
        assert str(kept.rule) == "Bash(touch made.txt)"
        for values in ([str(kept.id)], ["999"], ["x"], ["0", "1"], ["٣"]):
            answer = await house.workshop.eve.forge(card, "rule:remove", values)
            assert answer.ephemeral
        assert conversations.store.rules("demo") == [kept]
        await house.ada.write(thread, "touch")
        await house.done(thread, 2)
        assert "by rule `Bash(touch made.txt)`" in house.text(thread)
        message = await (await house.ada.command(thread, "rules")).finished()
        assert f"<@{house.ada.user.id}>" in shown(message)
        menu = next(each for each in walk(message.components) if each.get("custom_id") == "rule:remove")
        assert menu["options"][0]["description"] == "in this conversation"
        await house.ada.select(message, 0, ["Bash(touch made.txt)"])
        assert "there are no rules" in shown(message)
        await house.ada.write(thread, "touch")
        await house.card(thread, "touch made.txt")


async def test_a_warning_needs_a_second_person_where_that_is_wanted(workshop: Workshop, tmp_path: Path) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS, decisions={"second_person": True})
    async with house.bot():
        bob = maker(house, "bob")
        thread, card = await asked(house, "destroy", "rm -rf src")
        assert f"Somebody else than <@{house.ada.user.id}> has to allow this." in shown(card)
        assert SECOND_PERSON in (await house.ada.click(card, "Allow")).text
        await house.ada.write(thread, "yes")
        await house.ada.sees(thread, SECOND_PERSON)
        form = await house.ada.click(card, "Edit…")
        assert SECOND_PERSON in (await house.ada.submit(form.modal, {"Command": "ls"})).text
        assert "Allow" in buttons(card)
        await bob.click(card, "Allow")
        await house.done(thread)
        assert f"<@{bob.user.id}>" in shown(card)


async def test_what_carries_no_warning_needs_no_second_person_unless_it_is_edited_to(
    workshop: Workshop, tmp_path: Path
) -> None:
    house = scripted(workshop, tmp_path, SCRIPTS, decisions={"second_person": True})
    async with house.bot():
        thread, card = await asked(house)
        form = await house.ada.click(card, "Edit…")
        assert SECOND_PERSON in (await house.ada.submit(form.modal, {"Command": "rm -rf /"})).text
        await house.ada.click(card, "Allow")
        await house.done(thread)
        _, other = await asked(house, "destroy", "rm -rf src")
        await house.ada.click(other, "Deny")
        await house.becomes(other, "Denied")


async def test_pending_shows_what_waits_everywhere_to_those_it_concerns(house: House) -> None:
    async with house.bot():
        first, card = await asked(house)
        second, _ = await asked(house)
        message = await (await house.ada.command(first, "pending")).finished()
        text = shown(message)
        assert "2 requests open" in text
        assert f"/{first.id}/{card.id}" in text
        assert f"/{second.id}/" in text
        refused = await house.workshop.eve.command(first, "pending")
        assert "touch" not in refused.text


async def test_the_record_can_be_read_in_discord(house: House) -> None:
    async with house.bot():
        thread, card = await asked(house)
        await house.ada.click(card, "Deny")
        await house.done(thread)
        text = shown(await (await house.ada.command(thread, "audit")).finished())
        assert f"denied by <@{house.ada.user.id}>, button" in text
        assert "`touch made.txt`" in text
        assert "1 entry, unbroken" in text
