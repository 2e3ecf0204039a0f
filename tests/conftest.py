"""What all tests share: the real CLI, and no quiet skips where everything can be had."""

import os

import pytest

from tests.cli import old_claude, real_claude

__all__ = ["old_claude", "real_claude"]

NO_SKIPS = "CLAUDE_DISCORD_NO_SKIPS"
"""Set by CI, which brings everything that a test may miss: there, a skipped test is a failed one."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
    report: pytest.TestReport = yield
    if report.skipped and os.environ.get(NO_SKIPS):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and {NO_SKIPS} is set: {report.longrepr}"
    return report
