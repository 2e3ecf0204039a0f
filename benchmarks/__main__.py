"""Runs the benchmarks (`python -m benchmarks`), prints the table, and writes the figures and pictures of the curves."""

import argparse
import asyncio
import importlib
import sys
import time
from pathlib import Path

from benchmarks.figures import FULL, SMALL, Missing, Outcome, Size
from benchmarks.table import draw, report, table

ALL = ("stream", "mcp_start", "permission", "turns", "start", "memory", "desk", "streaming")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"run only these: {', '.join(ALL)}")
    parser.add_argument("--small", action="store_true", help="run a small version that takes less time")
    parser.add_argument(
        "--out", type=Path, default=Path("benchmarks/out"), help="folder for the JSON file and the pictures"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(ALL):
        parser.error(f"unknown benchmarks: {', '.join(sorted(unknown))}; choose from {', '.join(ALL)}")
    outcomes, missing = _measure(tuple(arguments.names) or ALL, SMALL if arguments.small else FULL)
    print(table([figure for outcome in outcomes.values() for figure in outcome.figures]))
    for name, reason in missing.items():
        print(f"{name}: skipped, because {reason}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "figures.json").write_text(report(outcomes, missing), encoding="utf-8")
    for curve in (curve for outcome in outcomes.values() for curve in outcome.curves):
        print(draw(curve, arguments.out))


def _measure(names: tuple[str, ...], size: Size) -> tuple[dict[str, Outcome], dict[str, str]]:
    outcomes: dict[str, Outcome] = {}
    missing: dict[str, str] = {}
    for name in names:
        started = time.monotonic()
        try:
            outcomes[name] = asyncio.run(importlib.import_module(f"benchmarks.{name}").measure(size))
        except Missing as reason:
            missing[name] = str(reason)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return outcomes, missing


if __name__ == "__main__":
    main()
