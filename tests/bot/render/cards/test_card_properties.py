"""Whatever Claude sends: the card fits Discord, shows or attaches all of it, and no press on it does harm."""

import gzip
import json
import re
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.permission_requests.card_actions import Decide, OpenModal, Press, Redraft, answer_by_text, parse, respond
from bot.permission_requests.permission_request import RequestOrigin
from bot.permission_requests.questions import read as read_questions
from bot.permission_requests.rule_offers import offers
from bot.permission_requests.rules import EVERY_EDIT, lets_pass
from bot.permission_requests.ticket import Decided, Draft, Ticket, Withdrawn
from bot.render.cards.card import card
from bot.text.bidi import MARK
from bot.text.hidden_characters import CLOSE, OPEN, show_hidden
from bot.text.truncate import utf16_length
from shared.protocol import Allow, Deny
from tests.fixtures.message_limits import broken, broken_modal, flat, texts, utf16
from tests.fixtures.tickets import FOLDER, asking, bash, planning, ticket

NASTY = st.sampled_from(
    [
        *"`*_~|<>@#\\\n\t ⟨⟩…",
        "```",
        "\u202e",
        "\r",
        "\x1b[31m",
        "👩‍👩‍👧",
        "\u0301",
        "אב",
        "ب٣",
        "שׁ",
        "𐍈",
        "\ud800",
        " " * 99,
        "\n" * 9,
        "x" * 99,
        "<@1>",
    ]
)
TEXT = st.text(max_size=40) | st.lists(NASTY | st.text(max_size=5), max_size=30).map("".join)
LONG = st.tuples(TEXT, st.integers(1, 400)).map(lambda pair: pair[0] * pair[1])
ANY_TEXT = TEXT | LONG
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OPTION = st.fixed_dictionaries({"label": ANY_TEXT}, optional={"description": ANY_TEXT, "preview": ANY_TEXT})
QUESTION = st.fixed_dictionaries(
    {"question": ANY_TEXT, "options": st.lists(OPTION, max_size=5)},
    optional={"header": ANY_TEXT, "multiSelect": st.booleans() | JSON},
)
EDIT = {"old_string": ANY_TEXT, "new_string": ANY_TEXT}
INPUTS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "Bash": st.fixed_dictionaries(
        {"command": ANY_TEXT},
        optional={
            "description": ANY_TEXT,
            "timeout": st.floats() | st.integers(),
            "run_in_background": st.booleans(),
            "x": JSON,
        },
    ),
    "Edit": st.fixed_dictionaries({"file_path": ANY_TEXT, **EDIT}, optional={"replace_all": st.booleans()}),
    "MultiEdit": st.fixed_dictionaries(
        {"file_path": ANY_TEXT, "edits": st.lists(st.fixed_dictionaries(EDIT), min_size=1, max_size=7)}
    ),
    "Write": st.fixed_dictionaries({"file_path": ANY_TEXT, "content": ANY_TEXT}),
    "NotebookEdit": st.fixed_dictionaries(
        {"notebook_path": ANY_TEXT, "new_source": ANY_TEXT},
        optional={"cell_id": ANY_TEXT, "edit_mode": st.sampled_from(["insert", "delete", "replace"]) | ANY_TEXT},
    ),
    "Read": st.fixed_dictionaries({"file_path": ANY_TEXT}, optional={"limit": st.integers()}),
    "WebFetch": st.fixed_dictionaries({"url": ANY_TEXT, "prompt": ANY_TEXT}),
    "AskUserQuestion": st.fixed_dictionaries({"questions": st.lists(QUESTION, min_size=1, max_size=4) | JSON}),
    "ExitPlanMode": st.fixed_dictionaries({}, optional={"plan": ANY_TEXT, "allowedPrompts": JSON}),
    "mcp__server__tool": st.dictionaries(TEXT, JSON, max_size=4),
}
REQUESTS = st.sampled_from(sorted(INPUTS)).flatmap(
    lambda tool: st.tuples(st.just(tool), INPUTS[tool] | st.dictionaries(TEXT, JSON, max_size=3))
) | st.tuples(ANY_TEXT, st.dictionaries(TEXT, JSON, max_size=3))
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


def unreveal(shown: str) -> str:
    """Read a shown text back, as a careful person would."""

    def back(token: re.Match[str]) -> str:
        said = token[2]
        names = {"ESC": "\x1b", "CR": "\r", "NUL": "\0", "BEL": "\a", "BS": "\b", "VT": "\v", "FF": "\f", "DEL": "\x7f"}
        if said in names:
            return names[said]
        if said.startswith("U+"):
            return chr(int(said[2:], 16))  # noqa: FURB166 - U+ is no prefix of Python's
        number, what = said.split(" ", 1)
        count = int(number.replace(",", ""))
        if what.startswith("line break"):
            return "\n" * count
        return {"space": " ", "tab": "\t", "backtick": "`"}[what.rstrip("s")] * count

    shown = shown.replace(MARK, "")  # one of somebody else's is shown as what it is
    return re.sub(
        f"(\n?){OPEN}([^{CLOSE}]*line breaks?){CLOSE}(\n?)|{OPEN}([^{CLOSE}]*){CLOSE}",
        lambda m: _either(m, back),
        shown,
    )


def _either(found: re.Match[str], back: Any) -> str:
    if found[2] is not None:
        return back(found)
    token = re.match("()(.*)", found[4], re.DOTALL)
    assert token is not None
    return back(token)


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


@given(ANY_TEXT)
def test_two_texts_never_look_the_same(text):
    shown = show_hidden(text)
    if "spaces or tabs" not in shown:
        assert unreveal(shown) == text


@given(ANY_TEXT)
def test_size_is_counted_as_discord_counts(text):
    assert utf16_length(text) == utf16(text)


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
            assert rule is None or rule.rule == EVERY_EDIT or lets_pass(rule.rule, one.request)
        case OpenModal(modal):
            assert list(broken_modal(modal)) == []
        case Redraft(draft):
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
