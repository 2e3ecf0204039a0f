import pytest

from bot.risk import carries_code


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "ls"},
        {"commandLine": "ls"},
        {"command_line": "ls"},
        {"SHELL": "ls"},
        {"sql": "select 1"},
        {"query": "select 1"},
        {"args": ["-rf"]},
        {"steps": [{"run": "ls"}]},
        {"a": {"b": [{"c": {"shell-script": "x"}}]}},
        {"fields": [{"name": "command", "value": "rm -rf src"}]},
        {"x" * 1000: "rm"},
        {"many": list(range(100_000))},
    ],
)
def test_what_a_tool_runs_is_found_by_its_name_at_any_depth(arguments):
    assert carries_code(arguments)


def test_arguments_that_go_too_deep_are_held_for_code():
    deep: dict[str, object] = {}
    for _ in range(1000):
        deep = {"a": deep}
    assert carries_code(deep)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"repo": "x"},
        {"path": "src", "limit": 3},
        {"owner": "o", "labels": ["bug"], "title": "Run the command", "body": "rm -rf"},
        {"filter": {"state": "open", "and": [{"name": "alice"}]}},
        {"codec": "h264", "postcode": "1234", "shelly": True},
    ],
)
def test_ordinary_arguments_carry_no_code(arguments):
    assert not carries_code(arguments)
