"""Tests that a click decides once, by an allowed person, on the right card; all other clicks get a private reply."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import hikari
import pytest

from bot.decisions.card_answers import UNKNOWN
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON, ReceivedInteraction
from bot.refusals import MAY_NOT_DECIDE
from sandbox.discord import DiscordChannel, DiscordMessage, InteractionResult
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import add_developer, add_moderator, gone, processes, scripted, ticket_of

SCRIPTS = {"touch": script([Use("Bash", {"command": "touch made.txt"})], [Say("Then I went on.")])}


@pytest.fixture
async def setup(discord_server: DiscordServer, tmp_path: Path) -> AsyncIterator[BotSetup]:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    async with setup.bot():
        yield setup


async def asked(setup: BotSetup) -> tuple[DiscordChannel, DiscordMessage]:
    thread = await setup.say("touch")
    return thread, await setup.card(thread, "touch made.txt")


def whispered(answer: InteractionResult, sentence: str) -> bool:
    return not answer.failed and answer.ephemeral and sentence in answer.text


async def test_a_click_on_a_decided_card_is_told_who_decided(setup: BotSetup) -> None:
    thread, card = await asked(setup)
    old = ticket_of(card)
    await setup.ada.click(card, "Deny")
    await setup.ada.sees(thread, "Then I went on.")
    late = await add_developer(setup, "bob").forge(
        card, f"ask:{old}:allow"
    )  # a client that has not drawn the new card yet
    assert whispered(late, f"<@{setup.ada.user.id}> already decided this")
    assert not (setup.project / "made.txt").exists()


async def test_of_two_who_click_at_once_one_wins_and_the_other_is_told_who(setup: BotSetup) -> None:
    _, card = await asked(setup)
    bob = add_developer(setup, "bob")
    name = ticket_of(card)
    answers = await asyncio.gather(setup.ada.forge(card, f"ask:{name}:allow"), bob.forge(card, f"ask:{name}:deny"))
    people = (setup.ada, bob)
    lost = [number for number, answer in enumerate(answers) if answer.ephemeral]
    assert len(lost) == 1
    winner = people[1 - lost[0]].user
    assert whispered(answers[lost[0]], f"<@{winner.id}> already decided this")
    assert f"<@{winner.id}>" in shown(card)
    assert buttons(card) == []


@pytest.mark.parametrize("then", ["arrives", "fails"])
@pytest.mark.parametrize("by", ["a click", "a word"])
async def test_a_slow_response_does_not_open_a_decided_card_again(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch, by: str, then: str
) -> None:
    update, on_its_way, decided = ReceivedInteraction.update, asyncio.Event(), asyncio.Event()

    async def slow(interaction: ReceivedInteraction, **arguments: Any) -> None:
        if interaction.custom_id.endswith(":always"):
            on_its_way.set()
            await decided.wait()
            if then == "fails":
                raise hikari.HTTPError("no answer")
        await update(interaction, **arguments)

    monkeypatch.setattr(ReceivedInteraction, "update", slow)
    thread, card = await asked(setup)
    bob = add_developer(setup, "bob")
    click = asyncio.create_task(setup.ada.forge(card, f"ask:{ticket_of(card)}:always"))
    await on_its_way.wait()
    if by == "a click":
        await bob.click(card, "Deny")
    else:
        await bob.write(thread, "no")
    await setup.done(thread)
    assert buttons(card) == []
    decided.set()
    if then == "fails":
        click.cancel()
    else:
        assert "What should Claude stop asking about?" in (await click).text
        await setup.becomes(card, f"<@{bob.user.id}>")
    async with asyncio.timeout(10):
        while buttons(card):  # noqa: ASYNC110 - there is no event for what must not stay
            await asyncio.sleep(0.05)


async def test_a_strangers_click_changes_nothing(setup: BotSetup) -> None:
    thread, card = await asked(setup)
    before = shown(card)
    assert whispered(await setup.discord_server.eve.click(card, "Allow"), MAY_NOT_DECIDE)
    assert shown(card) == before
    assert buttons(card)[:2] == ["Allow", "Deny"]
    await setup.ada.click(card, "Allow")
    await setup.ada.sees(thread, "Then I went on.")
    assert (setup.project / "made.txt").exists()


async def test_a_strangers_words_decide_nothing_and_start_nothing(setup: BotSetup) -> None:
    thread, card = await asked(setup)
    await setup.discord_server.eve.write(thread, "yes")
    await setup.discord_server.eve.write(setup.channel, "touch something for me")
    # After this reply, the bot has handled her messages too.
    assert whispered(await setup.discord_server.eve.click(card, "Deny"), MAY_NOT_DECIDE)
    assert buttons(card)[:2] == ["Allow", "Deny"]
    assert setup.ada.threads(setup.channel) == [thread]


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
async def test_a_forged_button_decides_nothing(setup: BotSetup, forged: str, sentence: str) -> None:
    _, card = await asked(setup)
    answer = await setup.ada.forge(card, forged.replace("{id}", ticket_of(card)))
    assert whispered(answer, sentence)
    assert buttons(card)[:2] == ["Allow", "Deny"]


async def test_a_menu_that_is_not_on_the_card_decides_nothing(setup: BotSetup) -> None:
    _, card = await asked(setup)
    answer = await setup.ada.forge(card, f"ask:{ticket_of(card)}:pick:0", values=["0", "7"])
    assert whispered(answer, "")
    assert buttons(card)[:2] == ["Allow", "Deny"]


async def test_a_card_cannot_be_decided_from_another_channel(setup: BotSetup) -> None:
    _, card = await asked(setup)
    elsewhere = await setup.ada.write(setup.channel, "touch")
    answer = await setup.ada.forge(elsewhere, f"ask:{ticket_of(card)}:allow")
    assert whispered(answer, UNKNOWN)
    assert buttons(card)[:2] == ["Allow", "Deny"]


async def test_a_deleted_card_comes_back_and_still_decides(setup: BotSetup) -> None:
    thread, card = await asked(setup)
    await add_moderator(setup, "mo").delete(card)
    again = await setup.ada.sees(thread, lambda m: m is not card and bool(buttons(m)))
    assert ticket_of(again) == ticket_of(card)
    await setup.ada.click(again, "Allow")
    await setup.ada.sees(thread, "Then I went on.")
    assert (setup.project / "made.txt").exists()


async def test_a_deleted_thread_ends_its_claude_and_no_other(setup: BotSetup) -> None:
    thread, _ = await asked(setup)
    (ending,) = processes(setup, "sandbox.scripted_claude")
    other = await setup.say("touch it, too")
    card = await setup.card(other, "touch made.txt")
    theirs = [ending, *ending.children(recursive=True)]
    await setup.ada.delete_channel(thread)
    assert await gone(theirs) == []
    await setup.ada.click(card, "Allow")
    await setup.ada.sees(other, "Then I went on.")
