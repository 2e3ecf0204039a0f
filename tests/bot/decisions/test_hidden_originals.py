"""Tests that only an owner sees what a card hides, and that such a request runs unchanged and gets no rule."""

from pathlib import Path

import pytest

from bot.decisions.card_answers import HIDDEN
from bot.permission_requests.rule_offers import offers
from bot.refusals import OWNERS_ONLY
from bot.render.cards.frame import HIDES
from sandbox.discord import DiscordMessage
from sandbox.scripts.script import Say, Use, script
from tests.bot.masking.service_tokens import of
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import add_developer, scripted, ticket_of

PASSWORD = of(20)
ADDRESS = f"postgres://shop:{PASSWORD}@db.example.org/shop"
SCRIPTS = {
    "note it": script([Use("Bash", {"command": f"echo {ADDRESS} > made.txt"})], [Say("Went on.")]),
    "note all": script(
        [Use("Bash", {"command": f"echo {ADDRESS} > made.txt\n" + "true # and nothing else\n" * 300})],
        [Say("Went on.")],
    ),
    "make": script([Use("Bash", {"command": f"make deploy DB={ADDRESS}"})], [Say("Went on.")]),
    "edit": script([Use("Bash", {"command": "make deploy", "note": ADDRESS})], [Say("Went on.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    return scripted(discord_server, tmp_path, SCRIPTS, owners={"users": [discord_server.ada.user.id]})


def everything_sent(setup: BotSetup) -> str:
    """Return everything that the bot sent to Discord except private replies."""
    there = setup.discord.world
    files = "\n".join(each.content.decode(errors="replace") for each in there.attachments.values())
    return files + "\n".join(repr(each.body) for each in setup.discord.requests)


async def test_the_card_says_that_it_hides_and_what_is_allowed_runs_as_it_was_asked(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("note it")
        card = await setup.card(thread, "made.txt")
        assert "postgres://shop:[hidden: 20 characters that look like a password]@db.example.org/shop" in shown(card)
        assert HIDES in shown(card)
        assert buttons(card) == ["Allow", "Deny", "Deny…", "Show the original"]
        assert PASSWORD not in everything_sent(setup)
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")
        assert (setup.project / "made.txt").read_text(encoding="utf-8").strip() == ADDRESS
        await setup.done(thread)
        assert PASSWORD not in everything_sent(setup)


@pytest.mark.parametrize(("prompt", "file"), [("note it", "input.json"), ("note all", "command.sh")])
async def test_an_owner_sees_the_original_and_nobody_else_does(setup: BotSetup, prompt: str, file: str) -> None:
    async with setup.bot():
        bob = add_developer(setup, "bob")
        thread = await setup.say(prompt)
        card = await setup.card(thread, "made.txt")
        refused = await bob.click(card, "Show the original")
        assert refused.text == OWNERS_ONLY
        assert refused.ephemeral
        assert PASSWORD not in everything_sent(setup)
        answer = await setup.ada.click(card, "Show the original")
        assert answer.ephemeral
        assert isinstance(answer.message, DiscordMessage)
        (told,) = [each for each in answer.message.attachments if each.name == file]
        assert ADDRESS in told.content.decode()
        assert (ADDRESS in answer.text) == (prompt == "note it")
        assert not any(PASSWORD in shown(message) for message in bob.messages(thread))
        assert "Allow" in buttons(card), "looking decides nothing"


async def test_no_rule_and_no_change_is_made_of_what_nobody_has_seen(setup: BotSetup) -> None:
    async with setup.bot() as running:
        thread = await setup.say("make")
        card = await setup.card(thread, "[hidden: ")
        offered = offers(next(iter(running.store.every_open_ticket())).request)
        answer = await setup.ada.forge(card, f"ask:{ticket_of(card)}:always")
        assert answer.text == HIDDEN
        answer = await setup.ada.forge(card, f"ask:{ticket_of(card)}:rule", [offered[0].id])
        assert answer.text == HIDDEN
        await setup.ada.write(thread, "always")
        await setup.ada.sees(thread, lambda seen: seen.author.bot and seen.text == HIDDEN and not seen.ephemeral)
        assert "Allow" in buttons(card)
        assert not running.store.rules("demo")


async def test_a_form_does_not_open_on_a_card_that_hides_something_beside_the_command(setup: BotSetup) -> None:
    async with setup.bot():
        thread = await setup.say("edit")
        card = await setup.card(thread, "[hidden: ")
        answer = await setup.ada.forge(card, f"ask:{ticket_of(card)}:edit")
        assert answer.modal is None
        assert answer.text == HIDDEN
