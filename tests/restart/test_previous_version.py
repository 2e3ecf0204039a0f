"""Tests that the next bot starts with the previous version's data and continues, as people see it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.app import serving
from bot.config import fingerprint, load
from bot.discord import config_change_card
from bot.projects import config_reload
from bot.store import FILE_NAME, Store
from bot.store.schema import MIGRATIONS
from sandbox.discord import DiscordMessage
from sandbox.discord.state.entities import walk
from tests.fixtures.bot_setup import buttons, shown
from tests.fixtures.previous_version import OPEN, PreviousSetup, state_file
from tests.fixtures.scripted_setup import custom_ids

QUIET = ("finished", "file", "decided", "ruled", "broken", "never", "limited", "worktree", "site", "docs")
"""The threads and channels with nothing left to do."""


def cards(setup: PreviousSetup, place: str) -> list[DiscordMessage]:
    """Find the cards that can be answered in a thread."""
    there = setup.ada.messages(setup.place(place))
    return [each for each in there if any(name.startswith("ask:") for name in custom_ids(each))]


def rename_configuration(setup: PreviousSetup, card: DiscordMessage, name: str) -> str:
    """Rename the card as the bot would have here: the name depends on this test's paths and ports."""
    before = custom_ids(card)[0].rpartition(":")[2]
    for component in walk(card.components):
        if "custom_id" in component:
            component["custom_id"] = component["custom_id"].replace(before, name)
    with closing(sqlite3.connect(setup.state / FILE_NAME)) as file, file:
        file.execute("UPDATE standing SET key = replace(key, ?, ?)", (before, name))
    return name


def test_the_state_file_is_brought_to_the_current_version_and_opens_twice(tmp_path: Path) -> None:
    path = state_file(tmp_path / FILE_NAME, tmp_path)
    for _ in range(2):
        with Store.open(path) as store:
            assert len(store.conversations()) == 18
            assert len(store.every_open_ticket()) == 9
            assert [rule.conversation is None for rule in store.rules("demo")] == [True, False]
            assert store.check_audit().fault is None
            assert [added.name for added in store.added_projects()] == ["docs"]
            assert len(store.worktrees()) == 1
    assert list(tmp_path.glob("*.damaged-*")) == []
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


async def test_what_was_finished_is_neither_touched_nor_repeated(previous: PreviousSetup) -> None:
    before = {place: previous.text(previous.place(place)) for place in QUIET}
    async with previous.bot():
        await previous.settled()
    touched = [each.path for each in previous.discord.requests if each.method != "GET"]
    for place in QUIET:
        assert previous.text(previous.place(place)) == before[place]
        assert [path for path in touched if f"/channels/{previous.place(place).id}/" in path] == []


async def test_an_open_card_whose_process_is_gone_is_withdrawn_where_it_stands(previous: PreviousSetup) -> None:
    before = {place: cards(previous, place) for place in OPEN}
    assert [len(found) for found in before.values()] == [1, 1, 1, 1, 1, 3, 1]
    async with previous.bot():
        await previous.settled()
        for place, found in before.items():
            for card in found:
                assert not card.deleted
                assert buttons(card) == []
                assert "Claude's process has ended" in shown(card)
            assert previous.text(previous.place(place)).count("Withdrawn") == len(found)
        assert "at once?" not in previous.text(previous.place("together"))


async def test_the_queued_prompt_runs_once_and_its_note_goes(previous: PreviousSetup) -> None:
    thread = previous.place("always")
    (note,) = [each for each in previous.ada.messages(thread) if "Queued" in shown(each)]
    async with previous.bot():
        await previous.ada.sees_gone(note, within=20)
        await previous.settled()
    assert previous.text(thread).count("You said: Then the next thing") == 1


async def test_a_prompt_whose_time_has_come_meanwhile_runs(previous: PreviousSetup) -> None:
    thread = previous.place("scheduled")
    (note,) = [each for each in previous.ada.messages(thread) if "runs <t:" in shown(each)]
    async with previous.bot():
        await previous.ada.sees(thread, "You said: Go on from where you were interrupted.", within=20)
        await previous.ada.sees_gone(note, within=20)


async def test_each_thread_has_one_notice_in_its_channel(previous: PreviousSetup) -> None:
    async with previous.bot():
        await previous.settled()
        await previous.done(previous.place("scheduled"), 2)
    notices = [shown(each) for each in previous.ada.messages(previous.channel) if "· <#" in shown(each)]
    for place in (*OPEN, "finished", "broken", "scheduled", "busy"):
        assert len([each for each in notices if previous.place(place).mention in each]) == 1, place


async def test_the_panel_is_the_same_message_and_its_buttons_work(previous: PreviousSetup) -> None:
    panel = previous.with_button("panel:start:")
    async with previous.bot():
        await previous.becomes(panel, "17 threads")
        await previous.ada.sees(panel.channel, lambda _: "waiting for you" not in shown(panel), within=20)
        told = await (await previous.ada.click(panel, "panel:open:docs")).finished()
        assert previous.place("docs").mention in shown(told)
        await previous.ada.click(panel, "panel:start:site")
        await previous.ada.sees(panel.channel, f"Claude is ready in {previous.place('worktree').mention}.", within=20)
    assert [each for each in previous.ada.messages(panel.channel) if not each.ephemeral] == [panel]


async def test_a_prompt_on_hold_stays_on_hold_until_somebody_runs_it(previous: PreviousSetup) -> None:
    thread, note = previous.place("held"), previous.with_button("wish:run-held:")
    async with previous.bot():
        await previous.settled()
        assert "You said: Number one" not in previous.text(thread)
        assert not note.deleted
        await previous.ada.click(note, f"wish:run-held:{thread.id}")
        await previous.ada.sees(thread, "You said: Number one", within=20)
        await previous.ada.sees_gone(note, within=20)


@pytest.mark.parametrize("button", ["wish:drop-held:", "wish:drop:"])
async def test_a_prompt_on_hold_is_cancelled_with_either_of_its_buttons(previous: PreviousSetup, button: str) -> None:
    thread, note = previous.place("held"), previous.with_button("wish:run-held:")
    pressed = next(name for each in previous.ada.messages(thread) for name in custom_ids(each) if button in name)
    async with previous.bot():
        await previous.ada.forge(note, pressed)
        await previous.ada.sees_gone(note, within=20)
        await previous.ada.write(thread, "Something else")
        await previous.ada.sees(thread, "You said: Something else", within=20)
    assert "You said: Number one" not in previous.text(thread)


async def test_an_edit_that_came_too_late_can_still_be_sent(previous: PreviousSetup) -> None:
    note = previous.with_button("wish:resend:")
    async with previous.bot():
        await previous.ada.click(note, custom_ids(note)[0])
        await previous.ada.sees(note.channel, "You said: Say hello there", within=20)
        await previous.ada.sees_gone(note, within=20)


@pytest.mark.parametrize(
    ("place", "button", "comes"),
    [
        ("broken", "Resume", "You said: "),
        ("never", "Try again", "process ended"),
        ("limited", "Continue now", "You said: "),
        ("limited", "Continue when it resets", "runs <t:"),
    ],
)
async def test_the_buttons_of_a_failed_turn_work(previous: PreviousSetup, place: str, button: str, comes: str) -> None:
    thread = previous.place(place)
    (failed,) = [each for each in previous.ada.messages(thread) if button in buttons(each)]
    last = max(each.id for each in previous.ada.messages(thread))
    async with previous.bot():
        answer = await previous.ada.click(failed, button)
        assert not answer.failed
        await previous.ada.sees(thread, lambda seen: seen.id > last and comes in shown(seen), within=20)
        assert buttons(failed) == []


async def test_the_rules_still_allow_and_the_old_menu_removes_one(previous: PreviousSetup) -> None:
    ada, thread = previous.ada, previous.place("ruled")
    async with previous.bot():
        listed = (await ada.command(thread, "rules")).text
        assert "`Bash(touch always.txt)` in this project" in listed
        assert "`Bash(touch here.txt)` in this conversation" in listed
        await ada.write(thread, "make always")
        await ada.sees(thread, "It is there again.", within=20)
        await ada.forge(ada.messages(thread)[-1], "rule:remove", ["1"])
        listed = (await ada.command(thread, "rules")).text
        assert "always.txt" not in listed
        assert "here.txt" in listed


async def test_the_record_is_intact_and_goes_on(previous: PreviousSetup) -> None:
    async with previous.bot():
        await previous.settled()
        told = (await previous.ada.command(previous.place("decided"), "audit", count=20)).text
    assert "19 entries, intact" in told
    for line in ("touch other.txt", "rule made by", "withdrawn"):
        assert line in told


async def test_what_was_chosen_for_a_thread_and_a_project_still_counts(previous: PreviousSetup) -> None:
    ada, thread = previous.ada, previous.place("finished")
    async with previous.bot():
        told = (await ada.command(thread, "settings")).text
        assert "`model` **opus** · this thread" in told
        assert "`permission_mode` **acceptEdits** · this thread" in told
        assert "`effort` **high** · the project, changed in Discord" in told
        await ada.write(thread, "Which model are you?")
        answer = await ada.sees(thread, lambda seen: "You said: Which model" in shown(seen), within=20)
        await previous.becomes(answer, "-# opus")
        made = await ada.write(previous.place("docs"), "Who am I?")
        await ada.sees(made.channel, lambda _: made.thread is not None, within=20)
        assert made.thread is not None
        await ada.sees(made.thread, "You said: Who am I?", within=20)


async def test_status_and_sessions_know_the_threads_and_a_session_can_be_resumed(previous: PreviousSetup) -> None:
    ada, thread = previous.ada, previous.place("decided")
    async with previous.bot():
        await previous.settled()
        assert "Session `" in (await ada.command(thread, "status")).text
        told = (await ada.command(thread, "sessions")).text
        assert "17 threads" in told
        choices = (await ada.autocomplete(thread, "resume", "session", "always")).choices
        (session,) = choices.values()
        opened = await (await ada.command(previous.channel, "resume", session=session)).finished()
        assert previous.place("ruled").mention in shown(opened)


async def test_a_worktree_that_has_not_changed_is_discarded_with_the_old_button(previous: PreviousSetup) -> None:
    card = previous.ada.messages(previous.place("worktree"))[-1]
    mark = custom_ids(card)[0].rpartition(":")[2]
    yes = f"worktree:yes:{card.channel.id}:{mark}"
    folder = previous.state / "worktrees" / str(card.channel.id)
    async with previous.bot():
        await previous.ada.click(card, "Discard…")
        await previous.ada.sees(card.channel, lambda seen: seen is card and yes in custom_ids(seen), within=20)
        assert folder.exists()
        await previous.ada.click(card, yes)
        await previous.ada.sees(card.channel, lambda seen: seen is card and not buttons(seen), within=20)
        assert not folder.exists()


async def test_a_configuration_that_waits_keeps_its_card_and_is_accepted_there(
    previous: PreviousSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config_reload, "PACE", 0.05)
    monkeypatch.setattr(config_change_card, "CHECK_INTERVAL", 0.05)
    card = previous.with_button("configuration:take:")
    changed = "allowed_tools = ['Bash']"
    name = rename_configuration(previous, card, fingerprint(load(previous.configure(changed))))
    previous.configure()
    start, before = previous.start(), shown(card)
    previous.configure(changed)
    async with serving(start) as running:
        await previous.ada.sees(card.channel, lambda seen: seen is card and shown(card) != before, within=20)
        await previous.ada.click(card, f"configuration:take:{name}")
        await previous.ada.sees(card.channel, lambda seen: seen is card and not buttons(seen), within=20)
        assert running.projects.settings.projects["demo"].allowed_tools == ("Bash",)
    assert len([each for each in previous.ada.messages(card.channel) if not each.ephemeral]) == 2
