"""Tests that a request is parsed and assessed once, and again only if it means something else."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from bot.permission_requests import permission_request as module
from bot.permission_requests import request_warnings
from bot.permission_requests.file_snapshot import FileSnapshot
from tests.fixtures.tickets import FOLDER, permission_request

WRITE = {"file_path": f"{FOLDER}/a.txt", "content": "new"}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often a request is parsed and assessed."""
    counted = Counter[str]()

    def count(owner: Any, name: str) -> None:
        work: Callable[..., Any] = getattr(owner, name)

        def counting(*arguments: Any) -> Any:
            counted[name] += 1
            return work(*arguments)

        monkeypatch.setattr(owner, name, counting)

    count(module, "read")
    for name in ("warnings", "unchecked"):
        count(request_warnings, name)
    return counted


def test_a_changed_file_is_no_reason_to_assess_the_request_again(calls: Counter[str]) -> None:
    request = permission_request("Write", WRITE)
    assert not request.warnings
    assert not request.unchecked
    changed = request.with_file(FileSnapshot("old", exists=True, stamp="2"))
    assert changed.file.text == "old"
    assert not changed.warnings
    assert not changed.unchecked
    assert calls == {"read": 1, "warnings": 1, "unchecked": 1}


def test_a_file_that_comes_to_lead_elsewhere_is_warned_about(calls: Counter[str]) -> None:
    request = permission_request("Write", WRITE)
    assert not request.warnings
    assert request.with_file(FileSnapshot(leads_to="/etc/passwd")).warnings
    assert calls["read"] == 1


def test_only_another_input_is_parsed_again(calls: Counter[str]) -> None:
    request = permission_request("Bash", {"command": "ls"})
    assert request.with_input({"command": "ls"}) is request
    assert request.with_input({"command": "rm -rf /"}).warnings
    assert not request.warnings
    assert calls == {"read": 2, "warnings": 2}
