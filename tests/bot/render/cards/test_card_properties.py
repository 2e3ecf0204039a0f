"""Tests that any request's card fits Discord, shows or attaches all of it, and that no press on it does harm."""

import gzip
import json
import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.permission_requests.permission_request import RequestOrigin
from bot.permission_requests.questions import read as read_questions
from bot.permission_requests.rule_offers import offers
from bot.permission_requests.ticket import Decided, Draft, Ticket, Withdrawn
from bot.render.cards.card import card
from shared.protocol import Allow, Deny
from tests.fixtures.message_limits import broken, flat, texts
from tests.fixtures.shown_text import unreveal
from tests.fixtures.strategies import ANY_TEXT, QUESTION, REQUESTS
from tests.fixtures.tickets import FOLDER, asking, bash, planning, ticket

STATES = st.sampled_from(["open", "always", "allowed", "edited", "denied", "withdrawn"])


def in_state(one: Ticket, state: str, text: str) -> Ticket:
    match state:
        case "always":
            return replace(one, draft=Draft(panel="always", answers={0: (text,), 1: (text, text)}))
        case "allowed":
            return replace(one, state=Decided(Allow(updatedInput=one.request.input), by=3, at=1.0, note=text))
        case "edited":
            changed = {**one.request.input, "command": text, "answers": {"x": text}}
            return replace(one, state=Decided(Allow(updatedInput=changed), by=None, at=1.0, note=text))
        case "denied":
            return replace(one, state=Decided(Deny(message=text), by=3, at=1.0, note=text))
        case "withdrawn":
            return replace(one, state=Withdrawn(text, 1.0))
    return one


@settings(max_examples=300, deadline=None)
@given(REQUESTS, st.none() | ANY_TEXT, STATES, ANY_TEXT)
def test_every_card_fits_discord_in_every_state(request, before, state, text):
    tool, arguments = request
    one = ticket(tool, arguments, before=before, subagent=text)
    origin = RequestOrigin(text, FOLDER, prompted_by=None, subagent=text)
    one = replace(one, request=replace(one.request, origin=origin))
    message = card(in_state(one, state, text))
    assert broken(message) == []
    assert message == card(in_state(one, state, text))
    markdown = texts(message)
    assert all(part.markdown.count("```") % 2 == 0 for part in flat(message.components) if hasattr(part, "markdown"))
    assert not set(markdown) & {"\u202e", "\r", "\x1b", "\ud800"}


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
def test_a_command_can_be_read_back_from_its_card_or_is_attached_whole(command):
    message = card(bash(command))
    if message.files:
        (file,) = message.files
        content = gzip.decompress(file.content) if file.name.endswith(".gz") else file.content
        assert content.decode("utf-8", "surrogatepass") == command
        return
    shown = re.search(r"```sh\n(.*?)\n```", texts(message), re.DOTALL)
    assert shown is not None
    assert unreveal(shown[1].replace("⟨empty⟩", "")) == command


@settings(deadline=None)
@given(REQUESTS)
def test_a_rule_is_never_offered_beside_a_warning(request):
    one = ticket(*request)
    assert not (offers(one.request) and one.request.warnings)


@settings(deadline=None)
@given(st.lists(QUESTION, min_size=1, max_size=4))
def test_questions_are_whole_on_the_card_or_in_the_file(questions):
    one = asking(*questions)
    if not read_questions(one.request.input):
        return
    message = card(one)
    if message.files:
        (file,) = message.files
        whole = file.content.decode("utf-8", "surrogatepass")
        for question in questions:
            for option in question["options"]:
                assert option["label"] in whole
                assert option.get("description", "") in whole
                assert option.get("preview", "") in whole


def test_a_huge_write_is_attached_packed():
    content = "".join(f"line {number}\n" for number in range(1_000_000))
    message = card(ticket("Write", {"file_path": "big.txt", "content": content}))
    assert broken(message) == []
    (file,) = message.files
    assert file.name == "content.txt.gz"
    assert gzip.decompress(file.content).decode() == content


def test_a_huge_plan_and_huge_json_fit():
    assert broken(card(planning("# x\n" * 500_000))) == []
    arguments = {"data": ["x" * 1000] * 2000}
    message = card(ticket("mcp__a__b", arguments))
    assert broken(message) == []
    assert json.loads(message.files[0].content) == arguments
