"""Tests that judging a request takes time in proportion to its length, up to a limit, however odd it is."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from bot.permission_requests.permission_request import PermissionRequest
from bot.risk import carries_code
from bot.risk.command_warnings import interpret
from bot.risk.shell_types import MAX_SOURCE
from tests.fixtures.tickets import permission_request

SMALL, LARGE = MAX_SOURCE // 8, MAX_SOURCE - 100
GENEROUS = 4
"""Eight times the length may take four times eight times as long; quadratic would be sixty-four times."""
SHORT = 0.02
"""CPU seconds below which a measurement means nothing."""
HUGE = 10_000_000


def bash(command: str) -> PermissionRequest:
    return permission_request("Bash", {"command": command})


def mcp(**arguments: Any) -> PermissionRequest:
    return permission_request("mcp__server__tool", arguments)


REQUESTS: dict[str, Callable[[int], PermissionRequest]] = {
    "blanks in sed": lambda size: bash("sed '" + " " * size + "x' f"),
    "replacements in sed": lambda size: bash("sed '" + "s/a/b/;" * (size // 7) + "' f"),
    "stages of a pipeline that write": lambda size: bash("cat f > f | tee f | " * (size // 18) + "sort > f"),
    "words behind redirects": lambda size: bash("rm > x -rf a; " * (size // 14)),
    "redirects behind each other": lambda size: bash("cat f " + "> f a " * (size // 6)),
    "patterns in find": lambda size: bash("find . " + "-name dist -o " * (size // 14) + "-exec rm {} +"),
    "recipes": lambda size: bash("make -f <(printf 'a:\n" + "\tls\n" * (size // 4) + "')"),
    "what awk writes": lambda size: bash("awk '" + '> "' * (size // 3) + "'"),
    "pipes in perl": lambda size: bash("perl -e '" + '"|' * (size // 2) + "'"),
    "a file that was lost": lambda size: bash("psql < " + "drop" * (size // 4)),
    "words behind verbs": lambda size: bash("docker exec web " + "a " * (size // 2)),
    "stages of a pipeline": lambda size: bash("curl x|" + "ls|" * (size // 7) + "sh"),
    "commands": lambda size: bash("rm -rf src; " * (size // 12)),
    "commands that depend on each other": lambda size: bash(" && ".join(["ls"] * (size // 6))),
    "paths": lambda size: bash("rm " + "a/b " * (size // 4)),
    "options": lambda size: bash("git " + "-c a=b " * (size // 7) + "status"),
    "letters": lambda size: bash("tar -" + "x" * size),
    "folders": lambda size: bash("cd a; " * (size // 6) + "rm x"),
    "redirects after folders": lambda size: bash("cd a; cd b; " + "echo > x; " * (size // 10)),
    "a variable that doubles": lambda size: bash("X=a; " + "X=$X$X; " * (size // 8) + "$X"),
    "a variable that takes many values": lambda size: bash("for x in " + "a " * (size // 2) + "; do rm -rf $x; done"),
    "loops in loops": lambda size: bash("for x in a b c d e; do " * 8 + "$x;" * (size // 4) + "done;" * 8),
    "functions that call each other twice": lambda size: bash(
        "".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}; " for n in range(size // 30)) + "f0"
    ),
    "aliases": lambda size: bash("".join(f"alias a{n}='a{n + 1} a{n + 1}'; " for n in range(size // 30)) + "a0"),
    "substitutions in substitutions": lambda size: bash("$(" * (size // 3) + "ls" + ")" * (size // 3)),
    "braces": lambda size: bash("echo " + "{a,b}" * (size // 5)),
    "braces in braces": lambda size: bash("echo " + "{" * (size // 2) + "a,b" + "}" * (size // 2)),
    "here-documents": lambda size: bash("cat <<E\na\nE\n" * (size // 12)),
    "backticks in a here-document": lambda size: bash("cat <<E\n" + "`a` " * (size // 4) + "\nE\n"),
    "evals": lambda size: bash("eval 'ls'; " * (size // 11)),
    "wrappers": lambda size: bash("env " * (size // 4) + "ls"),
    "files": lambda size: bash("".join(f"echo a > f{n}; cat f{n}; " for n in range(size // 24))),
    "words that xargs takes": lambda size: bash("echo " + "a " * (size // 2) + "| xargs rm"),
    "encoded text": lambda size: bash("echo " + "YWFh" * (size // 4) + " | base64 -d | sh"),
    "patterns": lambda size: bash("X=aaaaaaaaaaaaaaaa; " + "echo ${X%%*a*a*a*b}; " * (size // 21)),
    "code": lambda size: bash("python3 -c '" + "open(" * (size // 5) + "'"),
    "quotes in code": lambda size: bash('python3 -c "' + "'" * size + '"'),
    "comments in SQL": lambda size: bash("psql -c '" + "/*" * (size // 2) + "'"),
    "words that begin a statement": lambda size: bash("psql -c '" + "with " * (size // 5) + "'"),
    "awk": lambda size: bash("awk '" + "printf x " * (size // 9) + "'"),
    "commands of a tool": lambda size: mcp(steps=[{"command": f"ls {n}"} for n in range(size // 20)]),
    "paths of a tool": lambda size: mcp(paths=["a/b"] * (size // 20)),
    "addresses of a tool": lambda size: mcp(x="://a:" * (size // 5)),
    "SQL of a tool": lambda size: mcp(sql="select /* " * (size // 10)),
    "a path": lambda size: permission_request("Write", {"file_path": "*a/" * (size // 3)}),
}


def seconds(request: PermissionRequest) -> float:
    """Measure the CPU time of judging a request."""
    interpret.cache_clear()
    start = time.process_time()
    assert request.warnings is not None
    assert request.unchecked is not None
    carries_code(request.input)
    return time.process_time() - start


@pytest.mark.parametrize("make", REQUESTS.values(), ids=REQUESTS)
def test_the_time_grows_with_the_length(make: Callable[[int], PermissionRequest]) -> None:
    seconds(make(100))
    small = max(min(seconds(make(SMALL)) for _ in range(3)), SHORT)
    large = min(seconds(make(LARGE)) for _ in range(2))
    assert large < small * LARGE / SMALL * GENEROUS


@pytest.mark.parametrize("make", REQUESTS.values(), ids=REQUESTS)
def test_ten_megabytes_take_no_longer_than_what_is_read_of_them(make: Callable[[int], PermissionRequest]) -> None:
    assert seconds(make(HUGE)) < max(seconds(make(LARGE)), SHORT) * 10


@pytest.mark.parametrize("size", [MAX_SOURCE + 1, HUGE])
def test_what_is_too_long_to_be_read_is_said_to_be(size: int) -> None:
    kinds = {warning.kind.name for warning in bash("rm -rf src; ".ljust(size, "x")).warnings}
    assert {"DELETES", "UNREADABLE"} <= kinds
    assert mcp(paths=["a"] * 100_000).warnings
    assert mcp(command="ls; " * size).warnings
