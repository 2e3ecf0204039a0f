"""The real claude, a scripted API for it, and the scripted agent."""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import ClaudeScript
from sandbox.scripts.script_file import save
from tests.fixtures.claude_process import Agent, Project, started

ROOT = Path(__file__).parents[2]
SCRIPTED = (sys.executable, "-P", "-m", "sandbox.scripted_claude")

Start = Callable[..., AbstractAsyncContextManager[Agent]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def real(real_claude: Path, api: MessagesApi, project: Project) -> Start:
    """Start the real CLI in the project: `async with real("--resume", id) as agent`."""

    def start(*flags: str, **more: str) -> AbstractAsyncContextManager[Agent]:
        return started([str(real_claude)], project, {**api.environment(project.home), **more}, *flags)

    return start


def scripted_environment(project: Project) -> dict[str, str]:
    """The environment for a scripted agent whose scripts are in the project's folder."""
    scripts = project.root / "scripts.json"
    return {
        "HOME": str(project.home),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "CLAUDE_SCRIPT": str(scripts),
    }


@pytest.fixture
def scripted(project: Project) -> Start:
    """Start the scripted agent: `async with scripted({"marker": script(...)}) as agent`."""

    def start(scripts: Mapping[str, ClaudeScript], *flags: str, **more: str) -> AbstractAsyncContextManager[Agent]:
        environment = scripted_environment(project)
        save(Path(environment["CLAUDE_SCRIPT"]), scripts)
        return started(SCRIPTED, project, {**environment, **more}, *flags)

    return start
