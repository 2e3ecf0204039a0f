"""The pauses between retries when Discord does not respond."""

from collections.abc import Iterator

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0


def retry_pauses() -> Iterator[float]:
    """Yield the seconds to wait before each retry: twice as long each time, up to a minute."""
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(pause * 2, LONGEST_PAUSE)
