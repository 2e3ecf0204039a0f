"""Tests `claude-discord sandbox` as a process: what it prints, what it needs, and what remains when it ends."""

import asyncio
import os
import re
import shlex
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import psutil
import pytest

from sandbox import claude_command

ROOT = Path(__file__).parents[2]
WITHIN = 30.0


@dataclass(frozen=True)
class Machine:
    """An empty user account."""

    root: Path
    environment: Mapping[str, str]

    @property
    def temporary(self) -> Path:
        return self.root / "temporary"

    @property
    def programs(self) -> Path:
        return self.root / "programs"

    def with_program(self, name: str, target: Path) -> None:
        (self.programs / name).symlink_to(target)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    for name in ("home", "temporary", "programs"):
        (tmp_path / name).mkdir()
    environment = {
        "HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path / "temporary"),
        "PATH": os.pathsep.join((str(tmp_path / "programs"), "/usr/bin", "/bin")),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return Machine(tmp_path, environment)


@asynccontextmanager
async def started(
    machine: Machine, *arguments: str, **more: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, asyncio.StreamReader]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "bot",
        *arguments,
        cwd=machine.root,
        env={**machine.environment, **more},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout
    finally:
        if process.returncode is None:
            process.kill()
        async with asyncio.timeout(WITHIN):
            await process.wait()


async def said(machine: Machine, *arguments: str, **more: str) -> tuple[int, str]:
    """Run it until it exits."""
    async with started(machine, *arguments, **more) as (process, output), asyncio.timeout(WITHIN):
        text = (await output.read()).decode()
        return await process.wait(), text


async def until(output: asyncio.StreamReader, pattern: str) -> re.Match[str]:
    """Read until a line matches."""
    read = ""
    async with asyncio.timeout(WITHIN):
        while line := (await output.readline()).decode():
            read += line
            if found := re.search(pattern, line):
                return found
    pytest.fail(f"{pattern!r} was never said, only:\n{read}")


async def talk(address: str, text: str) -> None:
    """Write something in the project's channel, and wait until Claude has begun to answer."""
    origin = address.rsplit("/", 2)[0]
    async with (
        asyncio.timeout(WITHIN),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{address}socket", headers={"Origin": origin}, max_msg_size=0) as line,
    ):
        home = (await line.receive_json())["about"]["home"]
        await line.send_json({"id": 1, "do": "write", "channel": home, "text": text})
        while "Stop me" not in (await line.receive_json()).get("message", {}).get("content", ""):
            pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_stopping_leaves_no_process_and_no_file_but_the_folder_that_it_names(
    machine: Machine, number: signal.Signals
) -> None:
    async with started(machine, "sandbox", "--scripted", "--no-open") as (process, output):
        await until(output, "^Scripted agent, not Claude, works in .*/project")
        address = (await until(output, r"^Open (http://127\.0\.0\.1:\d+/\S+/)$"))[1]
        state = Path((await until(output, r"^The sandbox's files are in (.+)\. Press Ctrl-C to stop\.$"))[1])
        await talk(address, "slow")
        below = psutil.Process(process.pid).children(recursive=True)
        assert any("sandbox.scripted_claude" in each.cmdline() for each in below)
        for _ in range(2):  # an impatient person presses twice
            process.send_signal(number)
        async with asyncio.timeout(WITHIN):
            rest = (await output.read()).decode()
            assert await process.wait() == 0
    assert "Traceback" not in rest
    assert psutil.wait_procs(below, timeout=0)[1] == []
    assert list(machine.temporary.iterdir()) == [state]
    assert [each.stat().st_mode & 0o077 for each in machine.temporary.iterdir()] == [0]
    assert list((machine.root / "home").iterdir()) == []


async def test_a_taken_port_is_said_with_the_cure(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, text = await said(machine, "sandbox", "--scripted", "--no-open", "--port", str(port))
    assert (status, text) == (2, f"Port {port} is in use. Choose another one with --port, or leave --port out.\n")
    assert list(machine.temporary.iterdir()) == []


async def test_a_missing_folder_is_said_with_the_cure(machine: Machine) -> None:
    status, text = await said(machine, "sandbox", "nowhere", "--no-open")
    assert (status, text) == (
        2,
        "There is no folder nowhere. Choose another one, or leave it out to use a sample project.\n",
    )
    assert list(machine.temporary.iterdir()) == []


async def test_without_a_browser_the_address_is_for_copying(machine: Machine) -> None:
    async with started(machine, "sandbox", "--scripted") as (_, output):
        await until(output, "^Open http")
        await until(output, "^No browser could be opened. Open the address yourself.$")


async def test_the_browser_is_given_an_address_for_one_use_and_not_waited_for(machine: Machine) -> None:
    seen = machine.root / "seen"
    script = machine.programs / "browse"
    script.write_text(
        f'#!/bin/sh\necho "$1" > {shlex.quote(str(seen))}.part\nmv {seen}.part {seen}\nexec sleep 600 >/dev/null 2>&1\n'
    )
    script.chmod(0o755)
    async with started(machine, "sandbox", "--scripted", BROWSER=str(script)) as (process, output):
        address = (await until(output, "^Open (http.*)$"))[1]
        async with asyncio.timeout(WITHIN):
            while not seen.exists():  # noqa: ASYNC110 - another program writes it
                await asyncio.sleep(0.02)
        assert seen.read_text().strip() != address
        async with aiohttp.ClientSession() as session:
            async with session.get(seen.read_text().strip()) as answer:
                assert (answer.status, str(answer.url)) == (200, address)
            async with session.get(seen.read_text().strip()) as answer:
                assert answer.status == 403
        [browser] = [each for each in psutil.Process(process.pid).children() if "sleep" in each.name()]
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(WITHIN):
            assert await process.wait() == 0
        browser.kill()


async def test_without_claude_a_script_talks_and_it_says_so(machine: Machine) -> None:
    async with started(machine, "sandbox", "--no-open", PATH=str(machine.programs)) as (_, output):
        told = await until(output, "^Scripted agent, not Claude, works in .*")
        assert "Install `claude` and log in" in told.string


async def test_a_claude_that_is_not_logged_in_is_said_with_the_cure(machine: Machine, real_claude: Path) -> None:
    machine.with_program("claude", real_claude)
    async with started(machine, "sandbox", "--no-open") as (_, output):
        told = await until(output, "^Scripted agent, not Claude, works in .*")
        assert "Run `claude auth login`" in told.string


async def test_a_claude_that_is_logged_in_talks_itself(machine: Machine, real_claude: Path) -> None:
    machine.with_program("claude", real_claude)
    project = machine.root / "my project"
    project.mkdir()
    async with started(machine, "sandbox", "my project", "--no-open", ANTHROPIC_API_KEY="sk-ant-scripted") as (
        _,
        output,
    ):
        assert (await until(output, "works in"))[0]
        assert (await until(output, "^Open (.*)$"))[1]


async def test_a_claude_that_says_nothing_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = tmp_path / "claude"
    silent.write_text("#!/bin/sh\nexec sleep 600\n")
    silent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(claude_command, "LOGIN_WITHIN", 0.2)
    agent = await claude_command.choose()
    assert "did not respond" in agent.why


async def test_stopping_while_it_still_asks_claude_leaves_nothing(machine: Machine) -> None:
    asked = machine.root / "asked"
    silent = machine.programs / "claude"
    silent.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(asked))}\nexec sleep 600\n")
    silent.chmod(0o755)
    async with started(machine, "sandbox", "--no-open") as (process, output), asyncio.timeout(WITHIN):
        while not asked.exists():  # noqa: ASYNC110 - another program writes it
            await asyncio.sleep(0.02)
        below = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        assert await output.read() == b""
        assert await process.wait() == 0
    assert psutil.wait_procs(below, timeout=0)[1] == []
    assert list(machine.temporary.iterdir()) == []


async def test_without_a_set_up_three_lines_say_what_to_do(machine: Machine) -> None:
    status, text = await said(machine)
    assert status == 2
    assert len(text.splitlines()) == 3
    assert "`claude-discord sandbox`" in text
