"""Fuzzing for a while: seconds in the usual run, a minute with `CLAUDE_DISCORD_FUZZ_SECONDS=60`.

What once failed is kept as an `@example` beside its test: the corpus is what the tests say.
"""

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

SECONDS = float(os.environ.get("CLAUDE_DISCORD_FUZZ_SECONDS", "1.5"))


def boxed(per_second: int) -> Callable[[Any], Any]:
    """Try as many examples as go into the time, at so many a second."""
    return settings(
        max_examples=max(20, int(SECONDS * per_second)),
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.function_scoped_fixture,
            HealthCheck.large_base_example,
        ],
    )
