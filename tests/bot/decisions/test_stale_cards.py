"""Tests that a card is current when it is pressed: a file that has changed since Claude asked is read again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.decisions import card_answers, stale_cards
from bot.decisions.card_answers import CHANGED, NOT_CHECKED, OTHERS
from bot.store import Store
from sandbox.discord import DiscordChannel, DiscordMessage
from sandbox.discord.state.entities import walk
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.bot.decisions.test_reminders_after_a_restart import bot
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted, write_config

AGAIN = "The file has changed since Claude asked. Please review it again."
REPLACE = {"file_path": "src/many.txt", "old_string": "x", "new_string": "y", "replace_all": True}
SCRIPTS = {
    "write": script([Use("Write", {"file_path": "src/new.txt", "content": "from Claude\n"})], [Say("Went on.")]),
    "replace": script([Use("Edit", REPLACE)], [Say("Went on.")]),
    "read": script([Use("Read", {"file_path": f"{name}.txt"}) for name in "abc"], [Say("Went on.")]),
}


@pytest.fixture
def setup(discord_server: DiscordServer, tmp_path: Path) -> BotSetup:
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    (setup.project / "src").mkdir()
    (setup.project / "src" / "many.txt").write_text("x\n")
    return setup


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off the regular checks, so that only a yes reads the file again."""
    monkeypatch.setattr(stale_cards, "CHECK_INTERVAL", 3600.0)


async def asked(setup: BotSetup, prompt: str, heading: str) -> tuple[DiscordChannel, DiscordMessage]:
    thread = await setup.say(prompt)
    return thread, await setup.card(thread, heading)


def names(card: DiscordMessage) -> list[str]:
    return [str(each["custom_id"]) for each in walk(card.components) if "custom_id" in each]


@pytest.mark.usefixtures("unwatched")
async def test_a_new_file_does_not_overwrite_one_that_has_appeared_since(setup: BotSetup) -> None:
    new = setup.project / "src" / "new.txt"
    async with setup.bot():
        thread, card = await asked(setup, "write", "Create a file?")
        new.write_text("precious\n")
        await setup.ada.click(card, "Allow")
        assert "Overwrite a file?" in shown(card)
        assert "-precious\n+from Claude" in shown(card)
        assert AGAIN in shown(card)
        assert new.read_text() == "precious\n"
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")
        assert new.read_text() == "from Claude\n"
        assert AGAIN not in shown(card)


@pytest.mark.usefixtures("unwatched")
async def test_a_replacement_everywhere_is_counted_and_counted_again(setup: BotSetup) -> None:
    many = setup.project / "src" / "many.txt"
    async with setup.bot():
        thread, card = await asked(setup, "replace", "Change a file?")
        assert "Replaces it in one place" in shown(card)
        many.write_text("x\n" * 50)
        await setup.ada.click(card, "Allow")
        assert "Replaces it in 50 places." in shown(card)
        assert many.read_text() == "x\n" * 50
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")
        assert many.read_text() == "y\n" * 50


async def test_a_card_changes_with_its_file_while_it_stands(setup: BotSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_cards, "CHECK_INTERVAL", 0.1)
    new = setup.project / "src" / "new.txt"
    async with setup.bot():
        thread, card = await asked(setup, "write", "Create a file?")
        before = names(card)[0]
        new.write_text("precious\n")
        await setup.becomes(card, AGAIN)
        assert "Overwrite a file?" in shown(card)
        # Someone was already about to press the old card.
        await setup.ada.forge(card, before)
        assert "Allow" in buttons(card)
        assert new.read_text() == "precious\n"
        new.unlink()
        await setup.becomes(card, "Create a file?")
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")


@pytest.mark.usefixtures("unwatched")
async def test_a_written_yes_counts_for_the_card_as_it_was_seen(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_answers, "JUST_CHANGED", 0.5)
    new = setup.project / "src" / "new.txt"
    async with setup.bot():
        thread, card = await asked(setup, "write", "Create a file?")
        new.write_text("precious\n")
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, CHANGED)
        await setup.becomes(card, "Overwrite a file?")
        assert new.read_text() == "precious\n"


@pytest.mark.usefixtures("unwatched")
async def test_a_yes_that_was_written_while_the_card_changed_is_none(setup: BotSetup) -> None:
    new = setup.project / "src" / "new.txt"
    async with setup.bot():
        thread, card = await asked(setup, "write", "Create a file?")
        new.write_text("precious\n")
        await setup.ada.click(card, "Allow")
        await setup.ada.write(thread, "yes")
        await setup.ada.sees(thread, CHANGED)
        assert "Allow" in buttons(card)
        assert new.read_text() == "precious\n"


@pytest.mark.usefixtures("unwatched")
async def test_a_form_decides_nothing_for_a_file_that_has_changed(setup: BotSetup) -> None:
    new = setup.project / "src" / "new.txt"
    async with setup.bot():
        _, card = await asked(setup, "write", "Create a file?")
        form = await setup.ada.click(card, "Edit…")
        assert form.modal is not None
        new.write_text("precious\n")
        await setup.ada.submit(form.modal, {form.modal.fields[0].custom_id: "edited\n"})
        assert AGAIN in shown(card)
        await setup.ada.submit(form.modal, {form.modal.fields[0].custom_id: "edited\n"})
        assert "Allow" in buttons(card), "the form was opened on the card as it was"
        assert new.read_text() == "precious\n"


@pytest.mark.usefixtures("unwatched")
async def test_a_rule_is_not_made_on_a_card_that_has_changed(setup: BotSetup) -> None:
    new = setup.project / "src" / "new.txt"
    async with setup.bot() as running:
        _, card = await asked(setup, "write", "Create a file?")
        await setup.ada.click(card, "Always…")
        menu = next(each for each in walk(card.components) if each.get("type") == 3)
        new.write_text("precious\n")
        await setup.ada.forge(card, menu["custom_id"], [menu["options"][0]["value"]])
        assert AGAIN in shown(card)
        assert new.read_text() == "precious\n"
        assert isinstance(running.store, Store)
        assert running.store.rules("demo") == []


@pytest.mark.usefixtures("unwatched")
async def test_the_button_for_all_allows_nothing_when_one_leads_elsewhere_now(setup: BotSetup) -> None:
    for name in "abc":
        (setup.project / f"{name}.txt").symlink_to(f"/srv/{name}")
    async with setup.bot():
        thread = await setup.say("read")
        gathered = await setup.ada.sees(thread, lambda message: "Allow all 3" in buttons(message), within=20)
        before = names(gathered)[0]
        (setup.project / "b.txt").unlink()
        (setup.project / "b.txt").symlink_to("/etc/shadow")
        answer = await setup.ada.click(gathered, "Allow all 3")
        assert CHANGED in answer.text
        card = await setup.card(thread, AGAIN)
        assert "leads to `/etc/shadow`" in shown(card)
        again = await setup.ada.forge(card, before)
        assert OTHERS in again.text
        assert "Allow" in buttons(card)


@pytest.mark.usefixtures("unwatched")
async def test_a_folder_that_has_become_a_link_out_of_the_project_asks_again(setup: BotSetup, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    async with setup.bot():
        _, card = await asked(setup, "write", "Create a file?")
        (setup.project / "src").rename(setup.project / "old")
        (setup.project / "src").symlink_to(tmp_path / "outside")
        await setup.ada.click(card, "Allow")
        assert "Write a file?" in shown(card)
        assert "⚠️ Outside the project" in shown(card)
        assert not (tmp_path / "outside" / "new.txt").exists()


@pytest.mark.usefixtures("unwatched")
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda file: file.write_text(file.read_text() + "more\n"), id="elsewhere in the file"),
        pytest.param(lambda file: file.touch(), id="no change at all"),
    ],
)
async def test_a_change_that_the_card_does_not_show_does_not_ask_again(
    setup: BotSetup, change: Callable[[Path], object]
) -> None:
    many = setup.project / "src" / "many.txt"
    many.write_text("x\n" + "line\n" * 50)
    async with setup.bot():
        thread, card = await asked(setup, "replace", "Change a file?")
        change(many)
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")
        assert AGAIN not in shown(card)


async def test_a_file_that_nobody_can_look_at_in_time_is_not_decided_about(
    setup: BotSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with setup.bot():
        _, card = await asked(setup, "write", "Create a file?")
        monkeypatch.setattr(card_answers, "CHECK_WITHIN", 0.0)
        answer = await setup.ada.click(card, "Allow")
        assert NOT_CHECKED in answer.text
        assert "Allow" in buttons(card)
        assert not (setup.project / "src" / "new.txt").exists()


async def test_a_card_that_outlived_its_bot_is_looked_at_by_the_next(setup: BotSetup) -> None:
    path = write_config(setup.root / "claude-discord.toml", setup)
    new = setup.project / "src" / "new.txt"
    async with bot(setup, path) as first:
        thread, card = await asked(setup, "write", "Create a file?")
        first.kill()
        await first.wait()
    new.write_text("precious\n")
    async with bot(setup, path):
        await setup.becomes(card, AGAIN)
        assert "-precious\n+from Claude" in shown(card)
        assert new.read_text() == "precious\n"
        await setup.ada.click(card, "Allow")
        await setup.ada.sees(thread, "Went on.")


async def test_the_real_claude_overwrites_only_what_was_looked_at(real_setup: BotSetup, api: MessagesApi) -> None:
    setup = real_setup
    new = setup.project / "new.txt"
    api.on("write", script([Use("Write", {"file_path": "new.txt", "content": "from Claude\n"})], [Say("Went on.")]))
    async with setup.bot():
        thread, card = await asked(setup, "Please write", "Create a file?")
        new.write_text("precious\n")
        await setup.ada.click(card, "Allow")
        assert "-precious\n+from Claude" in shown(card)
        assert new.read_text() == "precious\n"
        await setup.ada.click(card, "Deny")
        await setup.done(thread)
        assert new.read_text() == "precious\n"
