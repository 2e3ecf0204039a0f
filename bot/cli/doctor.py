"""`claude-discord doctor`: each line is ok, or the cure; the exit status tells."""

import argparse
import asyncio
import sys
from dataclasses import asdict
from pathlib import Path

from bot.cli.config_path import named
from bot.cli.output import json_of, plain
from bot.setup.doctor import examine
from bot.setup.findings import Finding, Problem

RED, GREEN = "\x1b[31m✗\x1b[0m", "\x1b[32m✓\x1b[0m"


def go(arguments: argparse.Namespace) -> int:
    return asyncio.run(diagnose(named(arguments), as_json=arguments.json))


async def diagnose(path: Path, *, as_json: bool) -> int:
    """Tell each finding as it is found; 1 when something has to be cured."""
    findings = []
    async for finding in examine(path):
        findings.append(finding)
        if not as_json:
            print(told(finding, colour=sys.stdout.isatty()), flush=True)
    ill = [finding for finding in findings if isinstance(finding.state, Problem)]
    if as_json:
        found = [{"about": each.about, "ok": each not in ill, **asdict(each.state)} for each in findings]
        json_of({"ok": not ill, "findings": found})
    else:
        print("All is well." if not ill else f"{len(ill)} to cure.")
    return 1 if ill else 0


def told(finding: Finding, *, colour: bool) -> str:
    """Write a finding as a person reads it."""
    state = finding.state
    if isinstance(state, Problem):
        mark = RED if colour else "✗"
        says = plain(state.says).replace("\n", "\n    ")
        return f"{mark} {finding.about}: {says}\n    → {plain(state.cure)}"
    return f"{GREEN if colour else '✓'} {finding.about}: {plain(state.says)}"
