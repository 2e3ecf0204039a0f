"""Durations in words, such as `2 min 5 s`."""


def duration(seconds: float) -> str:
    """Write a duration in at most two units."""
    if seconds < 1:
        return "under 1 s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
