"""Fuzzing for a while: a moment in the usual run, a minute for each target in CI.

What once failed is kept as an `@example` beside its test, and real streams are the decoder's seeds: that is the corpus.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

IN_CI = bool(os.environ.get("CLAUDE_DISCORD_NO_SKIPS"))
SECONDS = float(os.environ.get("CLAUDE_DISCORD_FUZZ_SECONDS") or (60 if IN_CI else 1.5))
"""For each target; the tests of one target share them."""


def boxed(per_second: int, *, among: int = 1) -> Callable[[Any], Any]:
    """Try as many examples as go into the time, at so many a second, for one of so many tests of a target."""
    bounds = settings(
        max_examples=max(20, int(SECONDS * per_second / among)),
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.function_scoped_fixture,
            HealthCheck.large_base_example,
        ],
    )
    hang = pytest.mark.timeout(60 + 5 * SECONDS)  # a machine may be slower than the one on which they were counted
    return lambda test: hang(bounds(test))
