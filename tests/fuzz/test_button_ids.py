"""Tests that a forged `custom_id` decides nothing: only the buttons of an open card do, and only for its ticket."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from bot import queue_button_ids
from bot.messages import Box, Button, Buttons, Message, Select
from bot.permission_requests import card_actions
from bot.permission_requests.card_actions import Decide, respond
from bot.permission_requests.card_button_ids import Press, custom_id, parse
from bot.permission_requests.ticket import Ticket, Withdrawn
from bot.render.cards.card import card
from shared.protocol import Allow
from tests.fixtures.tickets import asking, bash, planning, question, ticket
from tests.fuzz.time_limit import boxed

TICKETS = [
    bash("rm -rf build"),
    ticket("Write", {"file_path": "/home/ann/shop/a.txt", "content": "x"}),
    ticket("mcp__other__tool", {"a": 1}),
    asking(question()),
    asking(question("One?"), question("Several?", "a", "b", several=True)),
    planning("# Plan"),
]
ALPHABET = "abcdefghijklmnopqrstuvwxyz:-_0123456789ABCTkFD \u0130\uff11\n"
verbs = st.sampled_from(
    [
        "allow",
        "deny",
        "why",
        "edit",
        "always",
        "rule",
        "back",
        "send",
        "skip",
        "other",
        "choose",
        "approve",
        "accept",
        "feedback",
        "all",
        "now",
    ]
)
near = st.builds(
    custom_id,
    st.sampled_from([TICKETS[0].id, "other", "", TICKETS[0].id + "x", TICKETS[0].id.lower()]),
    verbs | st.text("abcdefghijklmnopqrstuvwxyz", max_size=22),
    st.text("0123456789-abc", max_size=32),
)
ids = near | st.text(ALPHABET, max_size=100) | st.text(max_size=100)
values = st.lists(st.text(max_size=30) | st.sampled_from(["0", "1", "-1", "99", "²", "project-0"]), max_size=4).map(
    tuple
)
fields = st.dictionaries(
    st.sampled_from(["reason", "command", "answer", "feedback", "plan"]) | st.text(max_size=10),
    st.text(max_size=60),
    max_size=3,
)


def pressable(message: Message) -> set[str]:
    found: set[str] = set()
    for component in message.components:
        for part in component.children if isinstance(component, Box) else (component,):
            match part:
                case Buttons(buttons):
                    found |= {
                        button.custom_id for button in buttons if isinstance(button, Button) and not button.disabled
                    }
                case Select(custom_id=name, disabled=False):
                    found.add(name)
                case _:
                    pass
    return found


@boxed(1800, among=3)
@given(ids)
@example("ask:Tk3-abc_DEF9:allow\n")
@example("ask:Tk3-abc_DEF9:allow:1:2")
@example("ask:\uff34:allow")
def test_what_is_read_is_what_was_written(text: str) -> None:
    press = parse(text)
    assert press is None or custom_id(press.ticket_id, press.verb, press.arg) == text
    wish = queue_button_ids.parse(text)
    assert wish is None or press is None


@boxed(900, among=3)
@given(st.sampled_from(TICKETS), ids, values, fields)
@example(TICKETS[0], "ask:Tk3-abc_DEF9:allow:0", (), {})
def test_a_forged_press_never_allows_what_the_card_did_not_offer(
    of: Ticket, text: str, chosen: tuple[str, ...], filled: dict[str, str]
) -> None:
    press = parse(text)
    if press is None:
        return
    outcome = respond(of, press, chosen, filled)
    if isinstance(outcome, Decide) and isinstance(outcome.decision, Allow):
        assert press.ticket_id == of.id
        # Only a button that the card has now, or a menu or form that one of them opens, can allow.
        offered = {known.verb for known in map(parse, pressable(card(of))) if known}
        assert press.verb in offered | {"edit", "rule", "other", "choose"}, (press, outcome)


@boxed(1000, among=3)
@given(st.sampled_from(TICKETS), verbs, values, fields)
def test_another_tickets_button_and_a_closed_card_do_nothing(
    of: Ticket, verb: str, chosen: tuple[str, ...], filled: dict[str, str]
) -> None:
    other = respond(of, Press("another-one", verb), chosen, filled)
    assert other == card_actions.NO_MATCH
    closed = replace(of, state=Withdrawn("it is over", 0.0))
    assert respond(closed, Press(of.id, verb), chosen, filled) == card_actions.NO_MATCH
