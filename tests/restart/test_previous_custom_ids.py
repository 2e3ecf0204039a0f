"""Every custom_id that the previous version showed means the same today, and pressing it gets an answer."""

import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import queue_button_ids
from bot.conversations.queue_actions import TOO_LATE
from bot.decisions.card_answers import OTHERS, UNKNOWN
from bot.discord.commands.ask_about_message import question_form
from bot.discord.interactions.received_interaction import UNKNOWN_BUTTON
from bot.discord.interactions.router import FAILED
from bot.message_names import (
    ALLOW_ALL,
    CARD,
    CONFIGURATION,
    EDIT_NOTE,
    FILE,
    HELD_NOTE,
    PANEL,
    QUEUE_NOTE,
    REMINDER,
    TURN_NOTICE,
    WORKTREE,
    NameKind,
)
from bot.permission_requests import card_button_ids
from bot.permission_requests.allow_all import find_groups
from bot.permission_requests.card_actions import NO_MATCH, Decide, OpenModal, Outcome, UpdateDraft, respond
from bot.permission_requests.card_button_ids import Press
from bot.permission_requests.rules import Scope
from bot.permission_requests.ticket import Draft, Open
from bot.projects.config_reload import CHANGED_SINCE
from bot.queue_button_ids import CancelHeld, CancelPrompt, Continue, QueueAction, Resend, Retry, RunHeld, SendNow
from bot.render.replies import config_change_card, panel, worktree
from bot.render.replies.rules import REMOVE
from bot.store import FILE_NAME, Store
from sandbox.discord import DiscordMessage, DiscordPerson, InteractionResult, OpenedModal
from sandbox.discord.state.interaction import Interaction, InteractionType, ResponseType
from shared.protocol import Allow, Deny
from tests.fixtures.bot_setup import shown
from tests.fixtures.previous_version import PreviousSetup, RecordedId, places, recorded_ids, state_file
from tests.fixtures.scripted_setup import custom_ids

RECORDED = recorded_ids()
BY_CARD = [each for each in RECORDED if each.reads["of"] == "card"]
NAMES = [f"{each.kind} {each.custom_id}" for each in RECORDED]
WISHES: dict[str, Callable[..., QueueAction]] = {
    "SendNow": SendNow,
    "Drop": CancelPrompt,
    "Resend": Resend,
    "GoOn": Continue,
    "Again": Retry,
    "RunHeld": RunHeld,
    "DropHeld": CancelHeld,
}
"""What the previous version called the actions of buttons below prompts."""
DECISIONS: dict[str, type[Allow | Deny]] = {
    **dict.fromkeys(("allow", "accept", "send"), Allow),
    **dict.fromkeys(("deny", "skip"), Deny),
}
PLACES = {
    "all": "together",
    "about": "finished",
    "panel": "panel",
    "configuration": "panel",
    "worktree": "worktree",
    "rules": "ruled",
}
UPDATES = frozenset({ResponseType.UPDATE, ResponseType.DEFERRED_UPDATE})
FIELDS = {"why": "reason", "edit": "command", "other": "answer"}
"""The fields of the forms that were not opened when the ids were recorded."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(state_file(tmp_path / FILE_NAME, tmp_path)) as store:
        yield store


def wish(reads: Mapping[str, Any]) -> QueueAction:
    """Translate what the previous version called a wish."""
    return WISHES[reads["means"]](**{name: value for name, value in reads.items() if name not in {"of", "means"}})


def test_every_kind_of_button_was_recorded() -> None:
    """A record with gaps would prove little: each verb that the previous version knew is there."""
    assert {each.reads["means"] for each in RECORDED if each.reads["of"] == "wish"} == set(WISHES)
    assert {each.reads["of"] for each in RECORDED} == {"card", "wish", *PLACES}
    named = {"card": {each.reads["verb"] for each in BY_CARD}}
    for each in RECORDED:
        if "reads" in each.reads:
            named.setdefault(each.reads["of"], set()).add(each.reads["reads"][0])
    assert {kind: " ".join(sorted(verbs)) for kind, verbs in named.items()} == {
        "card": "accept allow always back choose deny edit original other rule send skip why",
        "panel": "open start stop",
        "configuration": "keep take",
        "worktree": "commit discard keep merge request show tuck yes",
    }


@pytest.mark.parametrize("recorded", RECORDED, ids=NAMES)
def test_a_custom_id_is_read_with_the_same_meaning(recorded: RecordedId) -> None:
    name, reads = recorded.custom_id, dict(recorded.reads)
    match reads["of"]:
        case "card":
            assert card_button_ids.parse(name) == Press(reads["ticket"], reads["verb"], reads["arg"])
        case "wish":
            assert queue_button_ids.parse(name) == wish(reads)
            assert queue_button_ids.custom_id(wish(reads)) == name
        case "about":
            assert question_form(reads["message"]).custom_id == name
        case "panel":
            assert panel.parse_custom_id(name) == tuple(reads["reads"])
        case "worktree":
            assert worktree.parse_custom_id(name) == tuple(reads["reads"])
        case "configuration":
            assert config_change_card.parse_custom_id(name) == tuple(reads["reads"])
        case "rules":
            assert name == REMOVE
        case kind:
            assert kind == "all", "its tickets tell what it means"


def test_the_button_for_all_is_for_the_same_requests(store: Store) -> None:
    (recorded,) = [each for each in RECORDED if each.reads["of"] == "all"]
    (group,) = find_groups(store.open_tickets(places()["together"]))
    assert group.custom_id == recorded.custom_id
    assert len(group.tickets) == 3


def outcome(recorded: RecordedId, store: Store, *, values: tuple[str, ...] = (), **fields: str) -> Outcome:
    """Press on a card as if nobody had decided it yet, with every question answered."""
    kept, press = store.ticket(recorded.reads["ticket"]), card_button_ids.parse(recorded.custom_id)
    assert kept is not None
    assert press is not None
    answers = {0: ("Postgres",), 1: ("Logs",)}
    return respond(replace(kept, state=Open(), draft=Draft(answers)), press, values, fields)


def on_cards(kind: str, *verbs: str) -> pytest.MarkDecorator:
    chosen = [each for each in BY_CARD if each.kind == kind and (not verbs or each.reads["verb"] in verbs)]
    assert chosen
    return pytest.mark.parametrize("recorded", chosen, ids=[each.custom_id for each in chosen])


@on_cards("button", *DECISIONS)
def test_a_button_that_decides_still_decides_the_same(recorded: RecordedId, store: Store) -> None:
    decided = outcome(recorded, store)
    assert isinstance(decided, Decide)
    assert isinstance(decided.decision, DECISIONS[recorded.reads["verb"]])


@on_cards("button", "always", "back")
def test_a_button_that_opens_or_closes_a_panel_still_does(recorded: RecordedId, store: Store) -> None:
    drafted = outcome(recorded, store)
    assert isinstance(drafted, UpdateDraft)
    assert drafted.draft.panel == recorded.reads["verb"].replace("back", "")


@on_cards("button", "why", "edit", "other")
def test_a_button_that_opens_a_form_opens_the_same_form(recorded: RecordedId, store: Store) -> None:
    opened = outcome(recorded, store)
    assert isinstance(opened, OpenModal)
    fields = [each.fields for each in BY_CARD if each.kind == "form" and each.custom_id == opened.modal.custom_id]
    assert [tuple(each.custom_id for each in opened.modal.inputs)] == (fields or [(FIELDS[recorded.reads["verb"]],)])


@on_cards("form")
def test_a_form_that_was_open_over_the_update_is_taken(recorded: RecordedId, store: Store) -> None:
    taken = outcome(recorded, store, **dict.fromkeys(recorded.fields, "Gamma"))
    assert isinstance(taken, Decide | UpdateDraft)
    assert "Gamma" in repr(taken)


@on_cards("menu", "rule")
def test_the_menu_of_rules_offers_the_same_rules(recorded: RecordedId, store: Store) -> None:
    for value in recorded.values:
        decided = outcome(recorded, store, values=(value,))
        assert isinstance(decided, Decide)
        assert decided.rule is not None
        assert decided.rule.scope is Scope(value.partition("-")[0])


@on_cards("menu", "choose")
def test_the_menu_of_a_question_offers_the_same_answers(recorded: RecordedId, store: Store) -> None:
    for value in recorded.values:
        assert isinstance(outcome(recorded, store, values=(value,)), Decide | UpdateDraft)


def test_what_people_had_filled_in_on_open_cards_is_still_there(store: Store) -> None:
    tickets = {ticket.conversation: ticket for ticket in store.every_open_ticket()}
    assert tickets[places()["questions"]].draft == Draft({0: ("SQLite",)})
    assert tickets[places()["answered"]].draft == Draft({0: ("Postgres",), 1: ("Logs",)})
    changed = tickets[places()["always"]]
    assert changed.draft == Draft(panel="always", overheard=True)
    assert f"ask:{changed.id}:allow:{changed.version}" in {each.custom_id for each in RECORDED}


def test_the_messages_that_stand_are_found_by_the_same_names(tmp_path: Path) -> None:
    with closing(sqlite3.connect(state_file(tmp_path / FILE_NAME, tmp_path))) as file:
        standing = file.execute("SELECT view, key FROM standing").fetchall()
        tickets = dict(file.execute("SELECT id, state FROM ticket").fetchall())
        waiting = {str(prompt) for (prompt,) in file.execute("SELECT id FROM prompt WHERE state = 'queued'")}
    views, keys = ({row[number] for row in standing} for number in (0, 1))

    def about(kind: NameKind, names: set[str]) -> set[str]:
        return {found for name in names if (found := kind.parse(name)) is not None}

    at = {name: str(number) for name, number in places().items()}
    ended = ("finished", "file", "decided", "ruled", "held", "broken", "never", "limited", "scheduled", "worktree")
    assert about(CARD, keys) == set(tickets)
    assert about(REMINDER, views) == {ticket for ticket, state in tickets.items() if state == "open"}
    assert about(TURN_NOTICE, views) == {at[name] for name in ended}
    assert about(HELD_NOTE, views) == {at["held"]}
    assert about(QUEUE_NOTE, views) == {*waiting, f"held-{at['held']}"}
    assert about(ALLOW_ALL, views) == {at["together"]}
    assert about(ALLOW_ALL, keys) == {"Read"}
    assert about(PANEL, views) == about(CONFIGURATION, views) == {at["panel"]}
    assert about(PANEL, keys) == {"0"}
    assert about(FILE, views) == {"toolu_file"}
    assert len(about(EDIT_NOTE, views)) == 1
    (kept,) = about(WORKTREE, views)
    assert kept.startswith(at["worktree"])


def channel_of(reads: Mapping[str, Any], store: Store) -> int:
    """Find where it was shown."""
    match reads["of"]:
        case "card":
            ticket = store.ticket(reads["ticket"])
            return ticket.conversation if ticket else 0
        case "wish" if "prompt" in reads:
            prompt = store.prompt(reads["prompt"])
            return prompt.conversation if prompt else 0
        case "wish":
            return int(reads["conversation"])
        case kind:
            return places()[PLACES[kind]]


def form(recorded: RecordedId, ada: DiscordPerson, message: DiscordMessage) -> OpenedModal:
    """Have the form open that somebody had open when the bot was killed."""
    opener = Interaction(InteractionType.COMPONENT, ada.user, message.channel, {}, message)
    rows = [{"type": 1, "components": [{"type": 4, "custom_id": each, "label": each}]} for each in recorded.fields]
    return OpenedModal(opener, {"title": recorded.label, "custom_id": recorded.custom_id, "components": rows})


async def press(recorded: RecordedId, setup: PreviousSetup, store: Store) -> InteractionResult:
    ada, name = setup.ada, recorded.custom_id
    there = ada.messages(setup.discord.world.channels[channel_of(recorded.reads, store)])
    ours = [each for each in there if each.author is setup.discord.world.bot and each.text and not each.ephemeral]
    message = next((each for each in ours if name in custom_ids(each)), ours[-1])
    match recorded.kind:
        case "form":
            return await ada.submit(form(recorded, ada, message), dict.fromkeys(recorded.fields, "Gamma"))
        case "menu":
            return await ada.forge(message, name, recorded.values[:1])
        case _:
            return await ada.forge(message, name)


def fits(recorded: RecordedId, answer: InteractionResult) -> bool:
    """Check that the answer is one of the handler that the button belongs to."""
    match recorded.reads["of"]:
        case "card":  # all of them are decided or withdrawn
            return answer.ephemeral and answer.text not in {UNKNOWN, NO_MATCH.sentence}
        case "all":
            return answer.text == OTHERS
        case "wish":
            return answer.interaction.response in UPDATES or answer.text == TOO_LATE
        case "rules" | "worktree":
            return answer.interaction.response in UPDATES
        case "configuration":
            return answer.text == CHANGED_SINCE
        case _:
            return "<#" in answer.text


async def test_pressing_any_of_them_gets_an_answer(previous: PreviousSetup, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        async with previous.bot() as running:
            await previous.settled()
            for recorded in RECORDED:
                answer = await press(recorded, previous, running.store)
                assert not answer.failed, recorded
                if answer.interaction.response is ResponseType.DEFERRED_MESSAGE:
                    await answer.finished()
                assert fits(recorded, answer), (recorded, answer.text)
    told = "\n".join(shown(each) for each in previous.messages() if each.ephemeral)
    assert FAILED not in told
    assert UNKNOWN_BUTTON not in told
    assert caplog.records == []
