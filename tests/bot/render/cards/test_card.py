from dataclasses import replace

import pytest

from bot.messages import Accent, Box
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.ticket import Decided, Draft, Withdrawn
from bot.render.cards.card import card
from shared.protocol import Allow, Deny
from tests.fixtures.message_limits import broken, buttons, selects, texts
from tests.fixtures.tickets import asking, bash, planning, question, ticket


def test_a_command_is_shown_with_all_that_matters():
    shown = card(bash("npm test", description="Run the tests", timeout=120_000, run_in_background=True))
    assert shown.key == "card-Tk3-abc_DEF9"
    assert not broken(shown)
    text = texts(shown)
    assert "### Run a command in the background?" in text
    assert "```sh\nnpm test\n```" in text
    for part in (
        "Run the tests",
        "`/home/ann/shop`",
        "timeout 2 min",
        "keeps running in the background",
        "<@42>",
        "shop",
    ):
        assert part in text
    assert {"Allow", "Deny", "Deny…", "Edit…"} <= set(buttons(shown))
    assert shown.mentions == (42,)


def test_what_the_card_does_not_know_is_shown_too():
    text = texts(card(bash("ls", dangerouslyDisableSandbox=True)))
    assert '"dangerouslyDisableSandbox": true' in text


def test_a_subagent_is_named():
    assert "subagent: find dead code" in texts(card(ticket("Bash", {"command": "ls"}, subagent="find dead code")))


def test_a_change_is_a_diff_against_the_file_as_it_is():
    edit = {"file_path": "/home/ann/shop/src/app.py", "old_string": "b = 2", "new_string": "b = 3"}
    text = texts(card(ticket("Edit", edit, before="a = 1\nb = 2\nc = 3\n")))
    assert "`src/app.py`: changes the file" in text
    assert "```diff\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n c = 3\n```" in text


def test_a_new_file_and_an_overwritten_one_are_told_apart():
    write = {"file_path": "/home/ann/shop/a.txt", "content": "new\n"}
    assert "### Create a file?" in texts(card(ticket("Write", write)))
    over = texts(card(ticket("Write", write, before="old\n")))
    assert "### Overwrite a file?" in over
    assert "-old\n+new" in over
    unseen = texts(card(ticket("Write", write, file=FileSnapshot(exists=True))))
    assert "### Overwrite a file?" in unseen
    assert "can't be shown as text" in unseen


def test_a_link_says_where_it_leads_and_is_warned_of_and_gets_no_rule():
    seen = FileSnapshot("x\n", exists=True, leads_to="/home/ann/.ssh/config")
    one = ticket("Write", {"file_path": "docs/notes", "content": "y\n"}, file=seen)
    text = texts(card(one))
    assert "This path is a link that leads to `/home/ann/.ssh/config`" in text
    assert "⚠️ Outside the project: /home/ann/.ssh/config" in text
    assert "⚠️ Secrets: /home/ann/.ssh/config" in text
    assert "Always…" not in buttons(card(one))
    inside = FileSnapshot(exists=True, leads_to="/home/ann/shop/docs/real.md")
    assert "⚠️" not in texts(card(ticket("Read", {"file_path": "docs/notes"}, file=inside)))


@pytest.mark.parametrize(
    ("before", "said"),
    [(None, "could not be read"), ("other", "is not in the current file"), ("x x", "is in the file 2 times")],
)
def test_an_edit_that_does_not_fit_the_file_says_so(before, said):
    edit = {"file_path": "a.txt", "old_string": "x", "new_string": "y"}
    text = texts(card(ticket("Edit", edit, before=before)))
    assert said in text
    assert "-x\n+y" in text


def test_a_notebook_cell_is_compared_with_itself():
    notebook = '{"cells": [{"id": "c1", "source": ["a = 1\\n", "b = 2"]}]}'
    change = {"notebook_path": "n.ipynb", "cell_id": "c1", "new_source": "a = 1\nb = 3"}
    assert "-b = 2\n+b = 3" in texts(card(ticket("NotebookEdit", change, before=notebook)))


def test_an_mcp_tool_shows_server_tool_and_arguments():
    text = texts(card(ticket("mcp__github__create_issue", {"title": "Hi"})))
    assert "`github`" in text
    assert "`create_issue`" in text
    assert '"title": "Hi"' in text


def test_a_page_shows_its_address_and_host():
    text = texts(card(ticket("WebFetch", {"url": "https://user@evil.example/x?y", "prompt": "read"})))
    assert "```\nhttps://user@evil.example/x?y\n```" in text
    assert "from `evil.example`" in text


def test_a_long_command_shows_head_and_tail_and_is_attached_whole():
    command = "\n".join(f"echo line {number}" for number in range(1000)) + "\nrm -rf precious"
    shown = card(bash(command))
    assert not broken(shown)
    text = texts(shown)
    assert "echo line 0\n" in text
    assert "rm -rf precious\n```" in text
    assert "lines hidden: the full text is in command.sh⟩" in text
    assert [(file.name, file.content.decode()) for file in shown.files] == [("command.sh", command)]


def test_a_decided_card_says_who_what_and_when_and_has_no_buttons():
    allowed = card(replace(bash("ls"), state=Decided(Allow(updatedInput={"command": "ls"}), by=5, at=1_700_000_100.5)))
    assert "✅ **Allowed** by <@5> <t:1700000100:R>" in texts(allowed)
    assert not buttons(allowed)
    assert not allowed.mentions
    denied = card(replace(bash("ls"), state=Decided(Deny(message="use *find*\nplease"), by=5, at=1.0)))
    assert "⛔ **Denied** by <@5> <t:1:R>\n> use \\*find\\*\n> please" in texts(denied)


def test_an_edited_command_shows_the_change():
    state = Decided(Allow(updatedInput={"command": "rm -r build"}), by=5, at=1.0, note="edited")
    text = texts(card(replace(bash("rm -rf build"), state=state)))
    assert "-rm -rf build\n+rm -r build" in text


def test_an_edited_plan_is_approved_and_does_not_run():
    state = Decided(Allow(updatedInput={"plan": "1. Less"}), by=5, at=1.0, note="edited")
    text = texts(card(replace(planning("1. More"), state=state)))
    assert "-1. More\n+1. Less" in text
    assert "Edited before approval:" in text
    assert "ran" not in text


def test_a_withdrawn_card_says_why():
    gone = card(replace(bash("ls"), state=Withdrawn("The turn was stopped.", 9.0)))
    assert "**Withdrawn** <t:9:R>\n-# The turn was stopped." in texts(gone)
    assert not buttons(gone)


def test_questions_show_everything_and_a_menu_each():
    first = question("Which `database`?", "Postgres", "SQLite")
    first["options"][0]["preview"] = "CREATE TABLE x"
    first["options"][1]["description"] = ""
    shown = card(asking(first, question("Which ports?", "80", "443", several=True)))
    assert not broken(shown)
    text = texts(shown)
    for part in ("Which `database`?", "**Postgres**: about Postgres", "**SQLite**\n", "```\nCREATE TABLE x\n```"):
        assert part in text
    database, ports = selects(shown)
    assert [option.value for option in database.options] == ["0", "1"]
    assert (database.most, ports.most) == (1, 2)
    assert buttons(shown)["Send"].disabled


def test_one_question_needs_no_send():
    shown = card(asking(question()))
    assert set(buttons(shown)) == {"Other…", "Skip"}


def test_send_is_open_when_all_is_answered_and_the_answers_stand_on_the_card():
    both = asking(question(), question("Which port?", "80", "443"), draft=Draft({0: ("SQLite",), 1: ("*8080*",)}))
    shown = card(both)
    assert not buttons(shown)["Send"].disabled
    assert [option.chosen for option in selects(shown)[0].options] == [False, True]
    assert "➜ \\*8080\\*" in texts(shown)


def test_options_that_begin_alike_can_be_told_apart_in_the_menu():
    shown = card(asking(question("Which?", "x" * 100 + "1", "x" * 100 + "2")))
    labels = [option.label for option in selects(shown)[0].options]
    assert len(set(labels)) == 2
    assert not broken(shown)
    assert "x" * 100 + "2" in texts(shown)


def test_questions_too_long_for_a_card_are_attached_in_full():
    long = [
        question(f"{number}? " + "why " * 500, *(f"{place} " + "y" * 300 for place in range(4))) for number in range(4)
    ]
    for one in long:
        for option in one["options"]:
            option["description"], option["preview"] = "d" * 900, "p" * 5000
    shown = card(asking(*long))
    assert not broken(shown)
    (file,) = shown.files
    assert all(option["preview"] in file.content.decode() for one in long for option in one["options"])


def test_answered_questions_show_the_answers():
    state = Decided(Allow(updatedInput={"answers": {"Which database?": "SQLite"}}), by=5, at=1.0)
    shown = card(replace(asking(question()), state=state))
    assert "Which database?\n➜ **SQLite**" in texts(shown)
    assert not broken(shown)


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"questions": []},
        {"questions": "what?"},
        {"questions": [question()] * 5},
        {"questions": [{"question": ""}]},
        {"questions": [{"question": "a", "options": [{"label": 3}]}]},
        {"questions": [{"question": "a", "options": [{"label": str(n)} for n in range(26)]}]},
    ],
)
def test_broken_questions_are_a_plain_request(raw):
    shown = card(ticket("AskUserQuestion", raw))
    assert "### Use AskUserQuestion?" in texts(shown)
    assert "Allow" in buttons(shown)


def test_a_plan_is_markdown_with_its_answers():
    shown = card(planning("## Steps\n1. *Do* it"))
    assert "## Steps\n1. *Do* it" in texts(shown)
    assert list(buttons(shown)) == ["Approve", "Approve and allow edits", "Keep planning…", "Edit plan…"]
    assert "also allows edits in the project, except to files that other programs run" in texts(shown)
    assert not broken(shown)


def test_many_warnings_of_one_kind_push_no_other_off_the_card():
    text = texts(card(bash("; ".join(f"rm -rf {n}" for n in range(20)) + "; cat .env; sudo ls")))
    assert text.count("⚠️") == 3
    assert "⚠️ Deletes recursively: rm -rf 0 and 19 more" in text
    assert "⚠️ Secrets: .env" in text
    assert "⚠️ Elevates privileges: sudo ls" in text


def test_nothing_in_a_plan_is_covered():
    text = texts(card(planning("Tidy up, ||then delete all||. Run `a || b`:\n```sh\na || b\n```")))
    assert "\\|\\|then delete all\\|\\|" in text
    assert "`a || b`" in text
    assert "```sh\na || b\n```" in text


def test_a_long_plan_begins_on_the_card_and_is_attached_whole():
    plan = "# Plan\n```python\n" + "print('x')\n" * 2000 + "```\nend"
    shown = card(planning(plan))
    assert not broken(shown)
    assert shown.files[0].name == "plan.md"
    assert shown.files[0].content.decode() == plan
    assert texts(shown).count("```") % 2 == 0
    assert "Edit plan…" not in buttons(shown)


def test_a_plan_that_asks_for_permissions_shows_them():
    shown = card(planning("x", allowedPrompts=[{"tool": "Bash", "prompt": "run tests"}]))
    assert '"prompt": "run tests"' in texts(shown)


def test_a_plan_that_was_not_written_down_can_still_be_approved():
    shown = card(ticket("ExitPlanMode", {}))
    assert not broken(shown)
    assert "Approve" in buttons(shown)
    assert "Edit plan…" not in buttons(shown)


def test_the_edge_says_whether_it_waits():
    (box,) = card(bash("ls")).components
    assert isinstance(box, Box)
    assert box.accent is Accent.WAITING
