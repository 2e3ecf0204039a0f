"""Knowing a process again: its number alone may have been given to another."""

import os
from pathlib import Path

import psutil

TICK = 1.5 / os.sysconf("SC_CLK_TCK")
"""A little more than what two readings of the same start can differ by."""


def started(pid: int) -> float | None:
    """Say when a process began, by a clock that nobody sets; None where there is none."""
    try:
        # Behind the name, which may hold anything but ends with the last bracket; in ticks since the machine started.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return int(fields[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        pass
    try:
        return psutil.Process(pid).create_time()
    except psutil.Error:
        return None


def same(pid: int, began: float) -> bool:
    """Whether the process of this number is the one that began then."""
    now = started(pid)
    return now is not None and abs(now - began) < TICK
