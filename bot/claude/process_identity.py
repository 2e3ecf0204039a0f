"""Identifies a process by its id and start time, because ids are reused."""

import os
from pathlib import Path

import psutil

TICK = 1.5 / os.sysconf("SC_CLK_TCK")
"""Slightly more than the difference between two readings of the same start time."""


def started(pid: int) -> float | None:
    """Return a process's start time by a clock that can't be set; None if there is no such process."""
    try:
        # The fields after the name, which may contain anything but ends at the last bracket; in ticks since boot.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return int(fields[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        pass
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return None


def same(pid: int, began: float) -> bool:
    """Check whether the process with this id is the one that started then."""
    now = started(pid)
    return now is not None and abs(now - began) < TICK
