"""`claude-discord doctor`: print each check, with a fix if it failed."""

import argparse
import asyncio
import sys
from dataclasses import asdict
from pathlib import Path

from bot.cli.config_path import find_config
from bot.cli.output import print_json, printable
from bot.setup.doctor import run_checks
from bot.setup.findings import Finding, Problem

RED, GREEN = "\x1b[31m✗\x1b[0m", "\x1b[32m✓\x1b[0m"


def execute(arguments: argparse.Namespace) -> int:
    return asyncio.run(print_findings(find_config(arguments), as_json=arguments.json))


async def print_findings(path: Path, *, as_json: bool) -> int:
    """Print each finding as it comes; return 1 if there are problems."""
    findings = []
    async for finding in run_checks(path):
        findings.append(finding)
        if not as_json:
            print(format_finding(finding, colour=sys.stdout.isatty()), flush=True)
    problems = [finding for finding in findings if isinstance(finding.state, Problem)]
    if as_json:
        found = [{"about": each.about, "ok": each not in problems, **asdict(each.state)} for each in findings]
        print_json({"ok": not problems, "findings": found})
    else:
        print(
            f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'} found."
            if problems
            else "No problems found."
        )
    return 1 if problems else 0


def format_finding(finding: Finding, *, colour: bool) -> str:
    """Format a finding for a terminal."""
    state = finding.state
    if isinstance(state, Problem):
        mark = RED if colour else "✗"
        says = printable(state.says).replace("\n", "\n    ")
        return f"{mark} {finding.about}: {says}\n    → {printable(state.cure)}"
    return f"{GREEN if colour else '✓'} {finding.about}: {printable(state.says)}"
