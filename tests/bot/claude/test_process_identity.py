"""Tests that a process is recognized by its start time, even if the machine's clock is changed."""

import os
import subprocess
import sys

import psutil
import pytest

from bot.claude import process_identity


def test_a_process_is_known_again_and_its_number_alone_is_not_enough() -> None:
    began = process_identity.started(os.getpid())
    assert began is not None
    assert process_identity.same(os.getpid(), began)
    assert not process_identity.same(os.getpid(), began + 1)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert not process_identity.same(child.pid, began)
    finally:
        child.communicate()
    assert process_identity.started(child.pid) is None


def test_a_clock_that_is_set_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """psutil computes from the machine's boot time, which changes when the clock is set."""
    before = process_identity.started(os.getpid())
    monkeypatch.setattr(psutil, "boot_time", lambda: 0.0)
    assert process_identity.started(os.getpid()) == before
    if sys.platform == "linux":
        assert before is not None
        assert before < 10**9, "seconds since the machine started, not since 1970"
