from dataclasses import replace

import pytest

from bot.permission_requests.card_actions import Decide, Refuse, UpdateDraft, answer_by_text, respond
from bot.permission_requests.card_button_ids import Press
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.rule_offers import offers
from bot.permission_requests.rules import EVERY_EDIT, Rule, Scope, allows
from bot.permission_requests.ticket import Draft
from bot.render.cards.card import card
from shared.protocol import Allow
from tests.fixtures.message_limits import broken, buttons, selects, texts
from tests.fixtures.tickets import FOLDER, bash, ticket


def offered(tool: str, **arguments: str) -> list[str]:
    found = offers(ticket(tool, dict(arguments)).request)
    assert {offer.scope for offer in found} in ({Scope.CONVERSATION, Scope.PROJECT}, set())
    return list(dict.fromkeys(str(offer.rule) for offer in found))


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("npm test", ["Bash(npm test)"]),
        ("npm run lint -- --fix", ["Bash(npm run lint -- --fix)"]),
        ("pytest --basetemp=src", ["Bash(pytest --basetemp=src)"]),
        ("cargo test --release", ["Bash(cargo test --release)", "Bash(cargo test:*)"]),
        ("go test ./...", ["Bash(go test ./...)", "Bash(go test:*)"]),
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
    assert offers(bash("npm test", dangerouslyDisableSandbox=True).request) == ()


def test_a_change_offers_its_file_and_its_folder_but_never_the_whole_project():
    inside = offered("Write", file_path=f"{FOLDER}/src/a.py", content="x")
    assert inside == [f"Edit(/{FOLDER}/src/a.py)", f"Edit(/{FOLDER}/src/**)"]
    assert offered("Edit", file_path=f"{FOLDER}/a.py", old_string="x", new_string="y") == [f"Edit(/{FOLDER}/a.py)"]
    assert offered("Write", file_path=f"{FOLDER}/src/[id].tsx", content="x") == [
        f"Edit(/{FOLDER}/src/[id].tsx)",
        f"Edit(/{FOLDER}/src/**)",
    ]
    assert offered("Write", file_path=f"{FOLDER}/docs/openapi.yaml", content="x") == [
        f"Edit(/{FOLDER}/docs/openapi.yaml)"
    ], "it may be what a program is set up with"
    assert offered("Write", file_path="/etc/hosts", content="x") == []
    for name in ("src/[a]*.py", "src/a.py ", "~/a.py", "src/a$X.py"):
        assert offered("Write", file_path=f"{FOLDER}/{name}", content="x") == []
    assert offered("Write", file_path="src/a.py", content="x") == [], "Claude Code writes paths in full"
    assert offered("Write", file_path=f"{FOLDER}/src/../../x.py", content="x") == []


def test_a_page_offers_its_host():
    assert offered("WebFetch", url="https://docs.python.org/3/", prompt="x") == ["WebFetch(domain:docs.python.org)"]
    for url in ("file:///etc/passwd", "https://user@evil.example/", "https://ex\u0430mple.com/", "http://[", "x"):
        assert offered("WebFetch", url=url, prompt="x") == []


@pytest.mark.parametrize(
    "name",
    [
        *(".github/CODEOWNERS", ".github/workflows/a.yml", ".git/config", ".env", "src/.env", ".claude/settings.json"),
        *("CLAUDE.md", "src/CLAUDE.md", "AGENTS.md", "src/agents.md", ".mcp.json", ".vscode/tasks.json", ".husky/x"),
        *("package.json", "web/package.json", "Makefile", "src/makefile", "conftest.py", "tests/conftest.py"),
        *("setup.py", "pyproject.toml", ".pre-commit-config.yaml", "Dockerfile", "docker/Dockerfile.dev", "run.sh"),
        *("scripts/deploy.sh", "vite.config.ts", "build.rs", "Cargo.toml", "pom.xml", "app/build.gradle", "go.mod"),
        *("node_modules/x/index.js", "venv/lib/a.py", "lib/site-packages/a.py", "PACKAGE.JSON", "x.csproj"),
        *("binding.gyp", "webpack.config.babel.js", "webpack.prod.js", "karma.conf.js", "knexfile.js", "jest.setup.ts"),
        *("mix.exs", "build.sbt", "build.xml", "build.zig", "Package.swift", "x.gemspec", "config.ru", "flake.nix"),
        *("project.clj", "deps.edn", "hatch_build.py", "tasks.py", "pylintrc", "mise.toml", "requirements/dev.txt"),
        *("requirements-dev.in", "main.tf.json", "docker-bake.hcl", "global.json", "x.wixproj", "app.csproj.user"),
        *("ios/App.xcodeproj/project.pbxproj", "configure.ac", "Makefile.am", "meson_options.txt", "Setup.hs"),
        *("env/bin/pip3.11", "tools/bin/build.py", "env/pyvenv.cfg", "vendor/autoload.php", "buildSrc/src/main/X.java"),
        *("AGENTS.override.md", "docs/copilot-instructions.md", "a.instructions.md", "hooks/hooks.json", "mcp.json"),
    ],
)
def test_no_rule_for_edits_covers_what_other_programs_run_or_read_as_instructions(name):
    path = f"{FOLDER}/{name}"
    assert offered("Write", file_path=path, content="x") == []
    request = ticket("Write", {"file_path": path, "content": "x"}).request
    parent = path.rpartition("/")[0]
    for rule in (EVERY_EDIT, Rule("Edit", f"/{path}"), Rule("Edit", f"/{parent}/**"), Rule("Edit", f"/{FOLDER}/**")):
        assert not allows(rule, request)


def test_a_rule_for_edits_covers_what_it_says_and_nothing_behind_a_link():
    def passes(rule: Rule, path: str, leads_to: str = "") -> bool:
        edit = {"file_path": path, "old_string": "a", "new_string": "b"}
        request = ticket("Edit", edit, file=FileSnapshot(leads_to=leads_to)).request
        return allows(rule, request)

    below, one = Rule("Edit", f"/{FOLDER}/src/**"), Rule("Edit", f"/{FOLDER}/src/a.py")
    for rule in (below, one, EVERY_EDIT):
        assert passes(rule, f"{FOLDER}/src/a.py")
        assert not passes(rule, f"{FOLDER}/src/a.py", f"{FOLDER}/src/b.py")
        for path in ("/etc/a.py", f"{FOLDER}/../a.py", f"{FOLDER}/src/../../a.py", f"{FOLDER}s/src/a.py", "src/a.py"):
            assert not passes(rule, path)
    assert passes(below, f"{FOLDER}/src/deep/b.py")
    assert not passes(below, f"{FOLDER}/srcs/b.py")
    assert not passes(below, f"{FOLDER}/src/../b.py")
    assert not passes(one, f"{FOLDER}/src/a.pyc")
    assert passes(EVERY_EDIT, f"{FOLDER}/b.py")


def test_a_rule_is_about_its_own_request_and_no_other():
    rules = {
        Rule("Bash", "make build"): ("Bash", {"command": "make build"}),
        Rule("Bash", "pytest:*"): ("Bash", {"command": "pytest -x", "timeout": 1000, "description": "Tests"}),
        EVERY_EDIT: ("NotebookEdit", {"notebook_path": f"{FOLDER}/a.ipynb", "new_source": "x", "cell_id": "1"}),
        Rule("WebFetch", "domain:docs.python.org"): ("WebFetch", {"url": "https://docs.python.org/3/", "prompt": "x"}),
        Rule("WebSearch"): ("WebSearch", {"query": "x"}),
        Rule("mcp__github__search"): ("mcp__github__search", {"repo": "x", "labels": ["a"]}),
    }
    others = [
        ("Bash", {"command": "cd sub && make build"}),
        ("Bash", {"command": "make build "}),
        ("Bash", {"command": "make build", "dangerouslyDisableSandbox": True}),
        ("Bash", {"command": "pytest", "env": {"X": "1"}}),
        ("Bash", {"command": ""}),
        ("Bash", {}),
        ("Bash", {"command": ["make build"]}),
        ("Read", {"file_path": f"{FOLDER}/a.py"}),
        ("Write", {"file_path": f"{FOLDER}/a.py", "content": "x", "mode": "0777"}),
        ("WebFetch", {"url": "https://evil.example/docs.python.org", "prompt": "x"}),
        ("WebFetch", {"url": "https://evil.example\\@docs.python.org/", "prompt": "x"}),
        ("WebFetch", {"url": "https://docs.python.org\\@evil.example/", "prompt": "x"}),
        ("WebFetch", {"url": "https://docs.python.org:8080/", "prompt": "x", "headers": {}}),
        ("WebSearch", {"query": "x", "then": "y"}),
        ("mcp__github__delete", {"repo": "x"}),
        ("mcp__github__search", {"command": "rm -rf src"}),
        ("mcp__github__search", {"steps": [{"shell": "x"}]}),
    ]
    for rule in rules:
        for other, (tool, given) in rules.items():
            assert allows(rule, ticket(tool, given).request) == (rule == other), (rule, given)
        for tool, given in others:
            assert not allows(rule, ticket(tool, given).request), (rule, given)


def test_a_rule_from_before_is_read_with_its_safe_meaning():
    """Rules from when Claude Code matched them, with commands that it allowed."""
    for content in ("npm test:*", "npm run lint:*", "cargo test:*", "mypy:*", "gradle build:*"):
        begins = content.removesuffix(":*")
        assert allows(Rule("Bash", content), bash(begins).request)
        assert not allows(Rule("Bash", content), bash(f"{begins} --config=evil").request)
    for content in ("npm install:*", "make:*", "git push --force", "sudo make"):
        assert not allows(Rule("Bash", content), bash(content.removesuffix(":*")).request)


def test_an_mcp_tool_offers_itself():
    assert offered("mcp__github__list_issues", repo="x") == ["mcp__github__list_issues"]
    assert offered("mcp__github__get_workflow_run", repo="x") == ["mcp__github__get_workflow_run"]
    assert offered("mcp__wiki__describe_evaluation", page="x") == ["mcp__wiki__describe_evaluation"]
    assert offered("mcp__github__*", repo="x") == []
    assert offered("mcp__shell__run", command="npm test") == []
    assert offered("mcp__browser__evaluate", function="() => 1") == []
    for name in ("command_line", "shell", "sql", "args", "argv", "shellCommand", "query", "eval", "run_script"):
        assert offered("mcp__tools__do", **{name: "x"}) == []
    for tool in ("execute", "run", "run_in_terminal", "bash", "evalJs", "executeSQL", "send_to_shell", "script"):
        assert offered(f"mcp__tools__{tool}", input="x") == [], "it runs what it is given, whatever it calls that"
        given = ticket(f"mcp__tools__{tool}", {"input": "rm -rf /"}).request
        assert not allows(Rule(given.tool_name), given), "chosen before it asked each time"
    nested = ticket("mcp__tools__do", {"steps": [{"with": {"cmd": "x"}}]})
    assert offers(nested.request) == ()


def test_always_shows_the_rules_with_examples_and_choosing_one_decides():
    wanted = bash("pytest -x")
    assert "Always…" in buttons(card(wanted))
    opened = respond(wanted, Press(wanted.id, "always"))
    assert opened == UpdateDraft(Draft(panel="always"))
    shown = card(replace(wanted, draft=opened.draft))
    assert not broken(shown)
    assert "pytest with other tests, -k, -m, -x, -v, --lf, --tb …" in texts(shown)
    assert "allows `pytest -k login -x`, still asks for `pytest -p plugin`" in texts(shown)
    assert list(buttons(shown)) == ["Back"]
    (menu,) = selects(shown)
    kind = next(o for o in menu.options if o.label == "Bash(pytest:*)" and o.description == "in this project")
    outcome = respond(wanted, Press(wanted.id, "rule"), (kind.value,))
    assert isinstance(outcome, Decide)
    assert isinstance(outcome.decision, Allow)
    assert outcome.rule is not None
    assert (outcome.rule.scope, str(outcome.rule.rule)) == (Scope.PROJECT, "Bash(pytest:*)")
    assert outcome.note == "always, in this project: Bash(pytest:*)"


def test_back_closes_the_rules():
    open_ = replace(bash("npm test"), draft=Draft(panel="always"))
    assert respond(open_, Press(open_.id, "back")) == UpdateDraft(Draft())


def test_always_in_words_is_the_narrowest_rule_for_this_conversation():
    outcome = answer_by_text(bash("npm test"), "2")
    assert isinstance(outcome, Decide)
    assert outcome.rule is not None
    assert (outcome.rule.scope, str(outcome.rule.rule)) == (Scope.CONVERSATION, "Bash(npm test)")


def test_a_rule_of_another_request_can_not_be_chosen():
    other = offers(bash("npm run build").request)[0]
    wanted = bash("npm test")
    assert isinstance(respond(wanted, Press(wanted.id, "rule"), (other.id,)), Refuse)
