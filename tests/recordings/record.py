"""Make the recordings in this folder again: the real CLI's stdout for a few scripts.

`python -P -m tests.recordings.record [NAME ...]` from the repository's root; no names means all.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.messages_api.server import serve
from tests.fixtures.claude_process import Line, Project, started
from tests.fixtures.real_claude import DEFAULT_VERSION, fetch
from tests.recordings.recorded_scripts import RECORDINGS, scripts

HERE = Path(__file__).parent
LISTS = (
    "tools",
    "slash_commands",
    "terminal_slash_commands",
    "skills",
    "agents",
    "plugins",
    "commands",
    "models",
    "gridRows",
)
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
HUGE = 40_000


async def record(name: str, version: str) -> None:
    """Run one recording, and keep its lines beside this file."""
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        project = Project(Path(folder), dict(RECORDINGS[name].decisions))
        lines = await of_real(name, fetch(version), project)
    target = path(name, version)
    target.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in scrub(lines, project)))
    print(f"{target.name}: {len(lines)} lines")  # noqa: T201 - a command


def path(name: str, version: str = DEFAULT_VERSION) -> Path:
    return HERE / (f"{name}.jsonl" if version == DEFAULT_VERSION else f"{name}.{version}.jsonl")


async def of_real(name: str, claude: Path, project: Project) -> list[Line]:
    """Let the real CLI play a recording's scripts."""
    async with serve() as api:
        for marker, play in scripts(name, project.cwd).items():
            api.on(marker, play)
        return await driven(name, [str(claude)], project, api.environment(project.home))


async def driven(name: str, command: Sequence[str], project: Project, environment: Mapping[str, str]) -> list[Line]:
    """Drive a claude of either kind through a recording, and give what it wrote."""
    recording = RECORDINGS[name]
    async with started(command, project, {**environment, **recording.environment}, *recording.flags) as agent:
        await recording.drive(agent, project)
        await agent.end()
        return agent.lines


def scrub(lines: list[Line], project: Project) -> list[Line]:
    """Take this machine out of the lines, and what is only long."""
    text = json.dumps([_trimmed(line) for line in lines])
    names = {str(project.cwd): "/project", str(project.home): "/home/you", str(project.root): "/tmp/you"}  # noqa: S108
    for real, shown in names.items():
        text = text.replace(real, shown).replace(_slug(real), _slug(shown))
    numbers: dict[str, str] = {}

    def stable(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"00000000-0000-4000-8000-{len(numbers):012d}")

    scrubbed: list[Line] = json.loads(UUID.sub(stable, text))
    return scrubbed


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def _trimmed(value: Any) -> Any:
    match value:
        case dict():
            return {
                key: (item[:3] if key in LISTS and isinstance(item, list) else _trimmed(item))
                for key, item in value.items()
                if key != "pid"
            }
        case list():
            return [_trimmed(item) for item in value]
        case str() if len(value) > HUGE:
            return value[:HUGE]
        case _:
            return value


async def main(names: list[str]) -> None:
    for name in names or RECORDINGS:
        for version in RECORDINGS[name].versions:
            await record(name, version)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
