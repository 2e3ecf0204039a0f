"""A click decides once, by someone who may, on the card that is meant; everything else is one quiet sentence."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.decisions.card_answers import NOT_YOURS, UNKNOWN
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON
from sandbox.discord import DiscordChannel, DiscordMessage, InteractionResult
from sandbox.script import Say, Use, script
from tests.fixtures.house import House, buttons, shown
from tests.fixtures.scripted_house import gone, maker, moderator, processes, scripted, ticket_of
from tests.fixtures.workshop import Workshop

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Then I went on.")])}


@pytest.fixture
async def house(workshop: Workshop, tmp_path: Path) -> AsyncIterator[House]:
    house = scripted(workshop, tmp_path, SCRIPTS)
    async with house.bot():
        yield house


async def asked(house: House) -> tuple[DiscordChannel, DiscordMessage]:
    thread = await house.say("touch")
    return thread, await house.card(thread, "touch made.txt")


def whispered(answer: InteractionResult, sentence: str) -> bool:
    return not answer.failed and answer.ephemeral and sentence in answer.text


async def test_a_click_on_a_decided_card_is_told_who_decided(house: House) -> None:
    thread, card = await asked(house)
    old = ticket_of(card)
    await house.ada.click(card, "Deny")
    await house.ada.sees(thread, "Then I went on.")
    late = await maker(house, "bob").forge(card, f"ask:{old}:allow")  # a client that has not drawn the new card yet
    assert whispered(late, f"<@{house.ada.user.id}> was first")
    assert not (house.project / "made.txt").exists()


async def test_of_two_who_click_at_once_one_wins_and_the_other_is_told_who(house: House) -> None:
    _, card = await asked(house)
    bob = maker(house, "bob")
    name = ticket_of(card)
    answers = await asyncio.gather(house.ada.forge(card, f"ask:{name}:allow"), bob.forge(card, f"ask:{name}:deny"))
    people = (house.ada, bob)
    lost = [number for number, answer in enumerate(answers) if answer.ephemeral]
    assert len(lost) == 1
    winner = people[1 - lost[0]].user
    assert whispered(answers[lost[0]], f"<@{winner.id}> was first")
    assert f"<@{winner.id}>" in shown(card)
    assert buttons(card) == []


async def test_a_strangers_click_changes_nothing(house: House) -> None:
    thread, card = await asked(house)
    before = shown(card)
    assert whispered(await house.workshop.eve.click(card, "Allow"), NOT_YOURS)
    assert shown(card) == before
    assert buttons(card)[:2] == ["Allow", "Deny"]
    await house.ada.click(card, "Allow")
    await house.ada.sees(thread, "Then I went on.")
    assert (house.project / "made.txt").exists()


async def test_a_strangers_words_decide_nothing_and_start_nothing(house: House) -> None:
    thread, card = await asked(house)
    await house.workshop.eve.write(thread, "yes")
    await house.workshop.eve.write(house.channel, "touch something for me")
    assert whispered(await house.workshop.eve.click(card, "Deny"), NOT_YOURS)  # the bot has heard her by now
    assert buttons(card)[:2] == ["Allow", "Deny"]
    assert house.ada.threads(house.channel) == [thread]


@pytest.mark.parametrize(
    ("forged", "sentence"),
    [
        ("ask:AAAAAAAAAAAA:allow", UNKNOWN),
        ("ask:{id}:allow:extra:parts", ""),
        ("ask:{id}:enchant", ""),
        ("ask:{id}:", ""),
        ("ask:{id}:pick:99", ""),
        ("ask::allow", UNKNOWN),
        ("nonsense", UNKNOWN_BUTTON),
        ("ask:{id}:allow\n", UNKNOWN),
        ("ask:' OR 1=1 --:allow", UNKNOWN),
    ],
)
async def test_a_forged_button_decides_nothing(house: House, forged: str, sentence: str) -> None:
    _, card = await asked(house)
    answer = await house.ada.forge(card, forged.replace("{id}", ticket_of(card)))
    assert whispered(answer, sentence)
    assert buttons(card)[:2] == ["Allow", "Deny"]


async def test_a_menu_that_is_not_on_the_card_decides_nothing(house: House) -> None:
    _, card = await asked(house)
    answer = await house.ada.forge(card, f"ask:{ticket_of(card)}:pick:0", values=["0", "7"])
    assert whispered(answer, "")
    assert buttons(card)[:2] == ["Allow", "Deny"]


async def test_a_card_cannot_be_decided_from_another_channel(house: House) -> None:
    _, card = await asked(house)
    elsewhere = await house.ada.write(house.channel, "touch")
    answer = await house.ada.forge(elsewhere, f"ask:{ticket_of(card)}:allow")
    assert whispered(answer, UNKNOWN)
    assert buttons(card)[:2] == ["Allow", "Deny"]


async def test_a_deleted_card_comes_back_and_still_decides(house: House) -> None:
    thread, card = await asked(house)
    await moderator(house, "mo").delete(card)
    again = await house.ada.sees(thread, lambda m: m is not card and bool(buttons(m)))
    assert ticket_of(again) == ticket_of(card)
    await house.ada.click(again, "Allow")
    await house.ada.sees(thread, "Then I went on.")
    assert (house.project / "made.txt").exists()


async def test_a_deleted_thread_ends_its_claude_and_no_other(house: House) -> None:
    thread, _ = await asked(house)
    (ending,) = processes(house, "sandbox.scripted_claude")
    other = await house.say("touch it, too")
    card = await house.card(other, "touch made.txt")
    theirs = [ending, *ending.children(recursive=True)]
    await house.ada.delete_channel(thread)
    assert await gone(theirs) == []
    await house.ada.click(card, "Allow")
    await house.ada.sees(other, "Then I went on.")
