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
"""Seconds for each target, shared by its tests."""


def boxed(per_second: int, *, among: int = 1) -> Callable[[Any], Any]:
    """Try as many examples as fit the time at this rate, for one of this many tests of a target."""
    bounds = settings(
        max_examples=max(20, int(SECONDS * per_second / among)),
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.function_scoped_fixture,
            HealthCheck.large_base_example,
        ],
    )
    hang = pytest.mark.timeout(60 + 5 * SECONDS)  # this machine may be slower than the one where the rate was measured
    return lambda test: hang(bounds(test))
