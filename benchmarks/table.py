"""Writes the figures as a table or as JSON, and the curves as pictures."""

import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from benchmarks.figures import Curve, Figure, Outcome


def table(figures: list[Figure]) -> str:
    """Return the figures as a Markdown table, which is also readable in a terminal."""
    rows = [("what", "measured", "floor", "judged", "to reach", "")]
    rows += [
        (
            each.what,
            _number(each.measured, each.unit),
            f"{_number(each.floor, each.unit)} ({each.beside})" if each.floor is not None else each.beside,
            _number(each.judged, each.judged_unit),
            each.target,
            "" if not each.target else "✓" if each.reached else "✗",
        )
        for each in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _number(value: float, unit: str) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def report(outcomes: Mapping[str, Outcome], missing: Mapping[str, str]) -> str:
    """Return everything from a run as JSON."""
    machine = {"python": sys.version.split()[0], "system": platform.platform(), "cpu": platform.machine()}
    content = {
        name: {
            "figures": [{**asdict(figure), "reached": figure.reached} for figure in outcome.figures],
            "curves": [asdict(curve) for curve in outcome.curves],
            "samples": outcome.samples,
        }
        for name, outcome in outcomes.items()
    }
    return json.dumps({"machine": machine, "benchmarks": content, "missing": missing}, indent=1)


def draw(curve: Curve, folder: Path) -> Path:
    """Draw a curve; needs matplotlib (`pip install claude-discord[bench]`)."""
    import matplotlib as mpl  # noqa: PLC0415 - the table works without matplotlib

    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - the same

    figure, axes = plt.subplots(figsize=(6, 3.6), dpi=110, layout="constrained")
    for name, points in curve.series.items():
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", label=name)
    spread = [x for points in curve.series.values() for x, _ in points]
    if min(spread) > 0 and max(spread) / min(spread) >= 50:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set(title=curve.title, xlabel=curve.across, ylabel=curve.up)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    path = folder / f"{curve.name}.png"
    figure.savefig(path)
    plt.close(figure)
    return path
