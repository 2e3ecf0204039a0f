from dataclasses import replace

import pytest

from bot.permission_requests.card_actions import Decide, OpenModal, Refuse, UpdateDraft, answer_by_text, respond
from bot.permission_requests.card_button_ids import Press, custom_id, parse
from bot.permission_requests.rule_offers import EDIT_FREELY
from bot.permission_requests.ticket import Draft, Ticket, Withdrawn
from shared.protocol import Allow, Deny
from tests.fixtures.message_limits import broken_modal
from tests.fixtures.tickets import asking, bash, planning, question, ticket


def press(on: Ticket, verb: str, arg: str = "", values: tuple[str, ...] = (), **fields: str):
    return respond(on, Press(on.id, verb, arg), values, fields)


def test_allow_runs_exactly_what_was_asked():
    ls = bash("ls -la", timeout=1000)
    assert press(ls, "allow") == Decide(Allow(updatedInput={"command": "ls -la", "timeout": 1000}))


def test_deny_tells_claude_no():
    outcome = press(bash("ls"), "deny")
    assert isinstance(outcome, Decide)
    assert outcome.decision == Deny(message="The user said no.")


def test_deny_with_a_reason_opens_a_form_and_claude_reads_the_reason():
    form = press(bash("ls"), "why")
    assert isinstance(form, OpenModal)
    assert not list(broken_modal(form.modal))
    submitted = parse(form.modal.custom_id)
    assert submitted is not None
    outcome = respond(bash("ls"), submitted, fields={form.modal.inputs[0].custom_id: "use find instead"})
    assert outcome == Decide(Deny(message="use find instead"))


def test_what_runs_after_an_edit_is_what_was_submitted():
    wanted = bash("rm -rf build dist", description="clean")
    form = press(wanted, "edit")
    assert isinstance(form, OpenModal)
    assert form.modal.inputs[0].value == "rm -rf build dist"
    outcome = press(wanted, "edit", command="rm -rf build")
    assert outcome == Decide(Allow(updatedInput={"command": "rm -rf build", "description": "clean"}), "edited")


def test_an_edit_that_changes_nothing_is_a_plain_yes_even_if_the_form_trimmed_the_text():
    write = ticket("Write", {"file_path": "a.txt", "content": "  a\nb\n"})
    assert press(write, "edit", content="  a\nb") == Decide(Allow(updatedInput=write.request.input))
    assert press(write, "edit", content="a\nb") == Decide(Allow(updatedInput=write.request.input))


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "key"),
    [
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, "new_string", "new_string"),
        ("Write", {"file_path": "a", "content": "y"}, "content", "content"),
        ("NotebookEdit", {"notebook_path": "a", "cell_id": "c", "new_source": "y"}, "new_source", "new_source"),
    ],
)
def test_the_new_text_of_each_kind_of_change_can_be_edited(tool, arguments, field, key):
    outcome = press(ticket(tool, arguments), "edit", **{field: "z"})
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input == {**arguments, key: "z"}


def test_each_part_of_a_multi_edit_can_be_edited():
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d", "replace_all": True}]
    multi = ticket("MultiEdit", {"file_path": "f", "edits": edits})
    outcome = respond(multi, Press(multi.id, "edit"), fields={"edit-0": "B", "edit-1": "D"})
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert [edit["new_string"] for edit in outcome.decision.updated_input["edits"]] == ["B", "D"]
    assert outcome.decision.updated_input["edits"][1]["replace_all"] is True


@pytest.mark.parametrize("command", ["x" * 4001, "echo \u202e hi", "a\rb"])
def test_what_a_form_could_not_show_is_not_edited(command):
    assert isinstance(press(bash(command), "edit"), Refuse)
    assert isinstance(press(bash(command), "edit", command="ls"), Refuse)


def test_one_question_is_answered_by_choosing():
    outcome = press(asking(question()), "choose", "0", ("1",))
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input["answers"] == {"Which database?": "SQLite"}


def test_several_questions_wait_for_send_and_answers_can_be_changed_before():
    both = asking(question(), question("Which port?", "80", "443"))
    first = press(both, "choose", "0", ("0",))
    assert isinstance(first, UpdateDraft)
    both = replace(both, draft=first.draft)
    assert isinstance(press(both, "send"), Refuse)
    second = press(both, "other", "1", answer="8080")
    assert isinstance(second, UpdateDraft)
    both = replace(both, draft=second.draft)
    changed = press(both, "choose", "0", ("1",))
    assert isinstance(changed, UpdateDraft)
    outcome = press(replace(both, draft=changed.draft), "send")
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input["answers"] == {"Which database?": "SQLite", "Which port?": "8080"}
    assert outcome.decision.updated_input["questions"] == both.request.input["questions"]


def test_several_choices_and_own_words_are_joined():
    many = asking(question("Which?", "a", "b", "c", several=True))
    chosen = press(many, "choose", "0", ("0", "2"))
    assert isinstance(chosen, UpdateDraft)
    many = replace(many, draft=chosen.draft)
    own = press(many, "other", "0", answer="and mine")
    assert isinstance(own, UpdateDraft)
    outcome = press(replace(many, draft=own.draft), "send")
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input["answers"] == {"Which?": "a, c, and mine"}


def test_a_label_too_long_for_a_menu_is_sent_in_full():
    labels = ("x" * 100 + "first", "x" * 100 + "second")
    outcome = press(asking(question("Which?", *labels)), "choose", "0", ("1",))
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input["answers"] == {"Which?": labels[1]}


def test_skip_tells_claude_to_decide_by_itself():
    outcome = press(asking(question()), "skip")
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Deny)
    assert "decide what is best yourself" in outcome.decision.message


def test_a_plan_can_be_approved_with_a_rule_for_edits_and_no_other_mode():
    outcome = press(planning("# Plan"), "accept")
    assert outcome == Decide(
        Allow(updatedInput={"plan": "# Plan"}), "edits are allowed from now on, by rule Edit", EDIT_FREELY
    )
    assert set(outcome.decision.model_dump()) == {"behavior", "updated_input"}
    assert answer_by_text(planning("# Plan"), "always") == outcome


def test_a_plan_can_be_sent_back_with_feedback():
    assert isinstance(press(planning("# Plan"), "why"), OpenModal)
    assert press(planning("# Plan"), "why", reason="smaller") == Decide(Deny(message="smaller"))


def test_a_plan_can_be_changed():
    outcome = press(planning("# Plan", planFilePath="/p"), "edit", plan="# Better")
    assert outcome == Decide(Allow(updatedInput={"plan": "# Better", "planFilePath": "/p"}), "edited")


@pytest.mark.parametrize(
    ("on", "verb", "arg", "values", "fields"),
    [
        (bash("ls"), "choose", "0", ("0",), {}),
        (bash("ls"), "accept", "", (), {}),
        (bash("ls"), "send", "", (), {}),
        (bash("ls"), "rule", "", ("project-0000000000000000",), {}),
        (bash("ls"), "edit", "", (), {"content": "rm -rf /"}),
        (bash("ls"), "edit", "", (), {"command": "  "}),
        (bash("ls"), "edit", "", (), {"command": "ls", "run_in_background": "true"}),
        (bash("ls"), "why", "", (), {"other": "x"}),
        (bash("ls"), "ALLOW", "", (), {}),
        (asking(question()), "allow", "", (), {}),
        (asking(question()), "choose", "0", ("2",), {}),
        (asking(question()), "choose", "0", ("-1",), {}),
        (asking(question()), "choose", "0", ("0", "1"), {}),
        (asking(question()), "choose", "0", (), {}),
        (asking(question()), "choose", "7", ("0",), {}),
        (asking(question()), "choose", "٠", ("0",), {}),
        (asking(question()), "choose", "", ("0",), {}),
        (asking(question()), "other", "0", (), {"reason": "x"}),
        (asking(question()), "other", "0", (), {"answer": "  "}),
        (asking(question(several=True)), "choose", "0", ("0", "0"), {}),
        (asking(question()), "send", "", (), {}),
        (planning("x"), "deny", "", (), {}),
        (planning("x"), "edit", "", (), {"command": "x"}),
        (planning(""), "edit", "", (), {"plan": "x"}),
    ],
)
def test_what_does_not_fit_the_card_is_refused(on, verb, arg, values, fields):
    assert isinstance(respond(on, Press(on.id, verb, arg), values, fields), Refuse)


def test_a_press_on_another_ticket_or_a_finished_one_is_refused():
    assert isinstance(respond(bash("ls"), Press("another", "allow")), Refuse)
    gone = replace(bash("ls"), state=Withdrawn("stopped", 1.0))
    assert isinstance(press(gone, "allow"), Refuse)
    assert answer_by_text(gone, "yes") is None


def test_a_custom_id_reads_back_as_it_was_written():
    assert parse(custom_id("Tk3-abc_DEF9", "choose", 3)) == Press("Tk3-abc_DEF9", "choose", "3")
    assert parse(custom_id("Tk3-abc_DEF9", "allow")) == Press("Tk3-abc_DEF9", "allow")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ask",
        "ask:",
        "ask::allow",
        "ask:x:",
        "ask:x:allow:",
        "ask:x:allow\n",
        "ask:x:allow:1:2",
        "ASK:x:allow",
        "ask:ⅹ:allow",
    ],
)
def test_what_is_not_a_custom_id_of_ours_is_none(text):
    assert parse(text) is None


@pytest.mark.parametrize("text", ["1", "approve", "YES", " yes! ", "allow"])
def test_yes_in_words(text):
    assert answer_by_text(bash("ls"), text) == Decide(Allow(updatedInput={"command": "ls"}))


@pytest.mark.parametrize("text", ["3", "deny", "No.", "NO"])
def test_no_in_words(text):
    assert answer_by_text(bash("ls"), text) == Decide(Deny(message="The user said no."))


@pytest.mark.parametrize(
    "text", ["deny because it is slow", "no, it is slow", "Deny: it is slow", "3 because it is slow"]
)
def test_no_with_a_reason(text):
    assert answer_by_text(bash("ls"), text) == Decide(Deny(message="it is slow"))


@pytest.mark.parametrize(
    "text", ["", "  ", "no problem", "yes please delete it all", "11", "now run the tests", "deny it"]
)
def test_other_words_are_no_answer_to_a_tool(text):
    assert answer_by_text(bash("ls"), text) is None


@pytest.mark.parametrize(
    ("text", "answer"), [("2", "SQLite"), ("postgres", "Postgres"), ("DuckDB", "DuckDB"), ("no", "no")]
)
def test_any_words_answer_a_question(text, answer):
    outcome = answer_by_text(asking(question()), text)
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input["answers"] == {"Which database?": answer}


def test_words_answer_several_questions_in_turn_and_send_ends_them():
    both = asking(question(), question("Which port?", "80", "443"))
    for text in ("Postgres", "8443"):
        outcome = answer_by_text(both, text)
        assert isinstance(outcome, UpdateDraft)
        both = replace(both, draft=outcome.draft)
    outcome = answer_by_text(both, "send")
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_input["answers"] == {"Which database?": "Postgres", "Which port?": "8443"}


def test_a_draft_of_a_removed_question_does_no_harm():
    stale = asking(question(), draft=Draft({5: ("x",)}))
    assert isinstance(press(stale, "send"), Refuse)
