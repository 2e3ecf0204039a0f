"""Tests that the replies to /pending, /rules and /audit fit a message, and that their texts are only text."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.audit_log import Entry, Fault, Sealed, Verdict, to_json
from bot.messages import MESSAGE_LIMIT, Select
from bot.permission_requests.permission_request import RequestOrigin
from bot.permission_requests.rules import Rule, SavedRule
from bot.permission_requests.ticket import Ticket
from bot.render.replies.audit import NO_ENTRIES, audit_reply
from bot.render.replies.pending import NOTHING_WAITS, pending_reply
from bot.render.replies.rules import rules_reply
from bot.text.truncate import utf16_length
from tests.fixtures.tickets import permission_request

TEXT = st.text(max_size=300)
KEPT = SavedRule(1, Rule("Bash", "npm test:*"), "shop", None, 42, 1_700_000_000.0)
ENTRY = Entry(1_700_000_000.0, "shop", 7, "Bash", "allowed", "button", 42, after=4.2, asked={"command": "ls"})


def ticket(number: int, command: str = "ls", project: str = "shop") -> Ticket:
    origin = RequestOrigin(project, "/")
    request = permission_request("Bash", {"command": command}, name=f"toolu_{number}", origin=origin)
    return Ticket(f"ticket-{number}", request, 1_700_000_000.0)


def sealed(entry: Entry) -> Sealed:
    return Sealed(1, to_json(entry), "0" * 64)


def test_what_waits_is_listed_with_links() -> None:
    text = pending_reply([(ticket(1), 99), (ticket(2), 0)], 5).text
    assert "**2 open requests**" in text
    assert "https://discord.com/channels/5/7/99" in text
    assert text.endswith("https://discord.com/channels/5/7"), "a card that is not there yet has no link of its own"
    assert pending_reply([], 5).text == NOTHING_WAITS


def test_hundreds_that_wait_are_cut_and_counted() -> None:
    text = pending_reply([(ticket(number), 1) for number in range(300)], 5).text
    assert utf16_length(text) <= MESSAGE_LIMIT
    assert "**300 open requests**" in text
    assert " more" in text.splitlines()[-1]


def test_rules_are_listed_with_who_and_when_and_those_elsewhere_are_counted() -> None:
    elsewhere = replace(KEPT, id=2, conversation=8)
    message = rules_reply([KEPT, elsewhere], 7, may_remove=True, configured=("Edit",))
    assert "- `Bash(npm test:*)` in this project · by <@42> <t:1700000000:R>" in message.text
    assert "- `Edit` in the configuration" in message.text
    assert "1 more rule in other conversations" in message.text
    (menu,) = message.components
    assert isinstance(menu, Select)
    assert [option.value for option in menu.options] == ["1"]
    assert rules_reply([KEPT], 7, may_remove=False).components == ()


def test_a_broken_record_says_so_first() -> None:
    broken = Verdict(3, "0" * 64, Fault(4, "Entry 4 is missing."))
    text = audit_reply([sealed(ENTRY)], broken).text
    assert text.startswith("⚠️ **The audit log has been changed.** Entry 4 is missing.")
    assert "✅ `1`" in text
    assert "allowed by <@42>, button after 4 s" in text


def test_an_empty_audit_log_has_no_seal_to_show() -> None:
    assert audit_reply([], Verdict(0, "0" * 64)).text == NO_ENTRIES


def test_an_edited_command_is_listed_as_it_ran() -> None:
    edited = replace(ENTRY, ran={"command": "ls -l"})
    text = audit_reply([sealed(edited)], Verdict(1, "0" * 64)).text
    assert "`ls -l` (edited)" in text


def test_an_answer_is_no_edit_a_plan_is_its_title_and_no_word_is_said_twice() -> None:
    whole = Verdict(1, "0" * 64)
    asked = replace(ENTRY, tool="AskUserQuestion", asked={"questions": []}, ran={"questions": [], "answers": {}})
    assert "AskUserQuestion\n" in audit_reply([sealed(asked)], whole).text
    plan = replace(ENTRY, tool="ExitPlanMode", asked={"plan": "# A *new* `door`\n\n1. Saw.\n"}, ran=None)
    (line,) = [line for line in audit_reply([sealed(plan)], whole).text.splitlines() if "ExitPlanMode" in line]
    assert line.endswith(r"ExitPlanMode A \*new\* `door`")
    withdrawn = replace(ENTRY, outcome="withdrawn", source="withdrawn", by=None)
    assert "-# withdrawn after" in audit_reply([sealed(withdrawn)], whole).text


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=30))
def test_any_list_fits_a_message_and_mentions_nobody(texts: list[tuple[str, str]]) -> None:
    waiting = [(ticket(number, command, project), 1) for number, (command, project) in enumerate(texts)]
    entries = [sealed(replace(ENTRY, tool=tool, note=note, asked={"command": note})) for tool, note in texts]
    kept = [replace(KEPT, id=n, rule=Rule(tool, content)) for n, (tool, content) in enumerate(texts)]
    for message in (
        pending_reply(waiting, 5),
        audit_reply(entries, Verdict(1, "0" * 64)),
        rules_reply(kept, 7, may_remove=True),
    ):
        assert 0 < utf16_length(message.text) <= MESSAGE_LIMIT
        assert not message.mentions
