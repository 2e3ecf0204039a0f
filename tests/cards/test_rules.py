from dataclasses import replace

import pytest

from bot.render.card import card
from bot.requests.presses import Decide, Press, Redraft, Refuse, answer_by_text, respond
from bot.requests.rules import Scope, offers
from bot.requests.tickets import Draft
from shared.protocol import Allow
from tests.cards.limits import broken, buttons, selects, texts
from tests.cards.making import FOLDER, bash, ticket


def offered(tool: str, **arguments: str) -> list[str]:
    found = offers(ticket(tool, dict(arguments)).request, FOLDER)
    assert {offer.scope for offer in found} in ({Scope.CONVERSATION, Scope.PROJECT}, set())
    return list(dict.fromkeys(str(offer.rule) for offer in found))


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("npm test", ["Bash(npm test)", "Bash(npm test:*)"]),
        ("npm run lint -- --fix", ["Bash(npm run lint -- --fix)", "Bash(npm run lint:*)"]),
        ("pytest -q tests", ["Bash(pytest -q tests)", "Bash(pytest:*)"]),
        ("git commit -m 'Fix it'", ["Bash(git commit -m 'Fix it')", "Bash(git commit:*)"]),
        ("terraform plan", ["Bash(terraform plan)"]),
        ("git push origin main", ["Bash(git push origin main)"]),
    ],
)
def test_a_command_offers_itself_and_its_kind(command, rules):
    assert offered("Bash", command=command) == rules


@pytest.mark.parametrize(
    "command",
    [
        "sudo npm test",
        "rm a.txt",
        "rm -rf build",
        "bash run.sh",
        "sh -c 'npm test'",
        "python3 -c 'print(1)'",
        "python3.12 setup.py",
        "node script.js",
        "perl x.pl",
        "env npm test",
        "xargs npm test",
        "npm test; npm run build",
        "npm test && npm run build",
        "npm test | tee log",
        "npm test > out.txt",
        "npm test $(date)",
        "npm test $X",
        "npm test `date`",
        "FOO=1 npm test",
        "npm test &",
        "npm test *.js",
        "npm test:*",
        "npm test (",
        "npm test\nnpm run x",
        "npm test \\\n --x",
        "npm test '\u202e'",
        "npm test ’x’",
        "./run.sh",
        "/usr/bin/npm test",
        "curl https://example.com",
        "git push --force",
        "cat .env",
        "echo 'unclosed",
        "eval npm test",
        "timeout 5 npm test",
        "find . -name x",
        "a" * 300,
        "",
    ],
)
def test_what_deserves_a_look_each_time_offers_nothing(command):
    assert offered("Bash", command=command) == []
    shown = card(bash(command))
    assert "Always…" not in buttons(shown)
    assert isinstance(respond(bash(command), Press(bash(command).id, "always")), Refuse)
    assert isinstance(answer_by_text(bash(command), "always"), Refuse)


def test_a_command_with_a_setting_that_is_not_part_of_a_rule_offers_nothing():
    assert offers(bash("npm test", dangerouslyDisableSandbox=True).request, FOLDER) == ()


def test_a_change_offers_its_file_and_its_folder_but_never_the_whole_project():
    inside = offered("Write", file_path=f"{FOLDER}/src/a.py", content="x")
    assert inside == [f"Edit(/{FOLDER}/src/a.py)", f"Edit(/{FOLDER}/src/**)"]
    assert offered("Edit", file_path=f"{FOLDER}/a.py", old_string="x", new_string="y") == [f"Edit(/{FOLDER}/a.py)"]
    assert offered("Write", file_path="/etc/hosts", content="x") == []
    assert offered("Write", file_path=f"{FOLDER}/.github/workflows/a.yml", content="x") == []
    assert offered("Write", file_path=f"{FOLDER}/src/[a]*.py", content="x") == []
    assert offered("Write", file_path=f"{FOLDER}/src/../../x.py", content="x") == []


def test_a_page_offers_its_host():
    assert offered("WebFetch", url="https://docs.python.org/3/", prompt="x") == ["WebFetch(domain:docs.python.org)"]
    for url in ("file:///etc/passwd", "https://user@evil.example/", "https://ex\u0430mple.com/", "http://[", "x"):
        assert offered("WebFetch", url=url, prompt="x") == []


def test_an_mcp_tool_offers_itself():
    assert offered("mcp__github__list_issues", repo="x") == ["mcp__github__list_issues"]
    assert offered("mcp__github__*", repo="x") == []
    assert offered("mcp__shell__run", command="npm test") == []
    assert offered("mcp__browser__evaluate", function="() => 1") == []


def test_always_shows_the_rules_with_examples_and_choosing_one_decides():
    wanted = bash("npm test")
    assert "Always…" in buttons(card(wanted))
    opened = respond(wanted, Press(wanted.id, "always"))
    assert opened == Redraft(Draft(panel="always"))
    shown = card(replace(wanted, draft=opened.draft))
    assert not broken(shown)
    assert "allows `npm test --verbose`, still asks for `npm test; rm -rf build`" in texts(shown)
    assert list(buttons(shown)) == ["Back"]
    (menu,) = selects(shown)
    kind = next(o for o in menu.options if o.label == "Bash(npm test:*)" and o.description == "in this project")
    outcome = respond(wanted, Press(wanted.id, "rule"), (kind.value,))
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.decision.updated_permissions is None, "a rule is kept by us: one given along could not be taken back"
    assert outcome.rule is not None
    assert (outcome.rule.scope, str(outcome.rule.rule)) == (Scope.PROJECT, "Bash(npm test:*)")
    assert outcome.note == "always, in this project: Bash(npm test:*)"


def test_back_closes_the_rules():
    open_ = replace(bash("npm test"), draft=Draft(panel="always"))
    assert respond(open_, Press(open_.id, "back")) == Redraft(Draft())


def test_always_in_words_is_the_narrowest_rule_for_this_conversation():
    outcome = answer_by_text(bash("npm test"), "2")
    assert isinstance(outcome, Decide)
    assert outcome.rule is not None
    assert (outcome.rule.scope, str(outcome.rule.rule)) == (Scope.CONVERSATION, "Bash(npm test)")


def test_a_rule_of_another_request_can_not_be_chosen():
    other = offers(bash("npm run build").request, FOLDER)[0]
    wanted = bash("npm test")
    assert isinstance(respond(wanted, Press(wanted.id, "rule"), (other.id,)), Refuse)
