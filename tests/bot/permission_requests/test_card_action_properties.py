"""Tests that no press or typed answer on a card allows more than Claude asked for."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.permission_requests.card_actions import Decide, OpenModal, UpdateDraft, answer_by_text, respond
from bot.permission_requests.card_button_ids import Press, parse
from bot.permission_requests.questions import read as read_questions
from bot.permission_requests.rules import EVERY_EDIT, allows
from bot.render.cards.card import card
from shared.protocol import Allow
from tests.fixtures.message_limits import broken, broken_modal
from tests.fixtures.strategies import ANY_TEXT, REQUESTS, TEXT
from tests.fixtures.tickets import ticket


@given(st.text() | TEXT | st.tuples(TEXT, TEXT, TEXT).map(lambda parts: "ask:" + ":".join(parts)))
def test_any_custom_id_can_be_read(text):
    found = parse(text)
    assert found is None or (found.ticket_id and found.verb)


VERBS = st.sampled_from(
    ["allow", "deny", "why", "edit", "always", "rule", "back", "choose", "other", "send", "skip", "accept"]
)
ARGS = st.sampled_from(["", "0", "1", "3", "9", "-1", "x"]) | TEXT
VALUES = st.lists(st.sampled_from(["0", "1", "4", "-1", "", "project-0"]) | TEXT, max_size=3).map(tuple)
FIELDS = st.dictionaries(
    st.sampled_from(["command", "content", "new_string", "plan", "reason", "answer", "edit-0"]) | TEXT,
    ANY_TEXT,
    max_size=2,
)


@settings(max_examples=500, deadline=None)
@given(REQUESTS, VERBS | TEXT, ARGS, VALUES, FIELDS)
def test_a_hostile_press_never_allows_more_than_was_asked(request, verb, arg, values, fields):
    tool, arguments = request
    one = ticket(tool, arguments)
    outcome = respond(one, Press(one.id, verb, arg), values, fields)
    match outcome:
        case Decide(decision=Allow(updated_input=given), rule=rule):
            asked = bool(read_questions(arguments)) and tool == "AskUserQuestion"
            assert verb in ({"choose", "other", "send"} if asked else {"allow", "accept", "edit", "rule"})
            changed = {key for key in {**given, **arguments} if repr(given.get(key)) != repr(arguments.get(key))}
            assert changed <= (
                {"answers"} if asked else {"command", "content", "new_string", "new_source", "plan", "edits"}
            )
            assert not changed or asked or verb == "edit"
            assert (rule is None) == (verb not in {"rule", "accept"})
            assert rule is None or rule.rule == EVERY_EDIT or allows(rule.rule, one.request)
        case OpenModal(modal):
            assert list(broken_modal(modal)) == []
        case UpdateDraft(draft):
            assert broken(card(replace(one, draft=draft))) == []


@settings(deadline=None)
@given(REQUESTS, ANY_TEXT)
def test_any_typed_text_is_taken_calmly(request, text):
    tool, arguments = request
    outcome = answer_by_text(ticket(tool, arguments), text)
    if (
        isinstance(outcome, Decide)
        and isinstance(outcome.decision, Allow)
        and tool not in {"AskUserQuestion", "ExitPlanMode"}
    ):
        assert repr(outcome.decision.updated_input) == repr(arguments)
        assert text.strip().rstrip(".!").casefold() in {"1", "2", "yes", "approve", "allow", "always"}
