"""Tests rules with the real `claude`: it asks about everything, and the bot allows only what a rule covers."""

import asyncio
import time
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app import RunningBot
from bot.permission_requests.rules import Rule, SavedRule
from bot.store.audit_log import entries
from sandbox.discord import DiscordChannel
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import ClaudeScript, Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.real_claude import OLD_VERSION, real_claude_or_skip, version

KIND = "Bash(pytest:*)"
ATTACKS = tomllib.loads(
    (Path(__file__).parents[1] / "bot" / "permission_requests" / "command_rule_attacks.toml").read_text(
        encoding="utf-8"
    )
)
PROGRAMS = ("pytest", "npm", "cargo", "mvn", "gradle", "dotnet", "tsc", "ruff", "mypy", "eslint", "go", "make")
TRIED = {
    "pytest": ("--basetemp=src", "-p evil", "scripts/deploy.py"),
    "npm test": ("--node-options='--import=data:text/javascript,0'", "--script-shell=./evil"),
    "cargo test": ("--config evil.toml", "--manifest-path evil/Cargo.toml"),
    "mvn test": ("exec:exec", "-Dexec.executable=sh"),
    "gradle test": ("-I evil.gradle", "--include-build evil"),
    "dotnet test": ("@evil.rsp", "--test-adapter-path evil"),
    "tsc": ("-p evil.json", "--outDir .git"),
    "ruff check": ("--config evil.toml", "--output-file=src/a.py"),
    "mypy": ("--python-executable=./evil src", "--config-file evil.ini"),
    "eslint": ("--rulesdir evil", "-c evil.js"),
    "go test": ("-exec evil ./...", "-toolexec=evil ./..."),
    "git commit": ("-F notes.txt",),
}
"""A sample of the listed attacks on each kind."""


def run(*commands: str) -> ClaudeScript:
    return script(*([Use("Bash", {"command": command})] for command in commands), [Say("Tried.")])


@pytest.fixture
def setup(real_setup: BotSetup) -> BotSetup:
    """A bot whose programs only record that they were called, and where."""
    programs = real_setup.root / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        program = programs / name
        program.write_text(f'#!/bin/sh\necho "$(pwd)> {name} $*" >> "{real_setup.root}/ran.log"\n')
        program.chmod(0o755)
    path = f"{programs}:{real_setup.environment['PATH']}"
    return replace(real_setup, environment={**real_setup.environment, "PATH": path})


def ran(setup: BotSetup) -> list[str]:
    """Return the recorded calls of programs, without the project's folder in front."""
    log = setup.root / "ran.log"
    return [line.removeprefix(f"{setup.project}> ") for line in log.read_text().splitlines()] if log.exists() else []


def keep(setup: BotSetup, running: RunningBot, rules: Iterable[Rule]) -> None:
    for rule in rules:
        running.store.add_rule(SavedRule(0, rule, "demo", None, setup.ada.user.id, time.time()))


async def tried(setup: BotSetup, thread: DiscordChannel, turns: int = 1) -> None:
    """Wait until this many turns have ended."""
    await setup.ada.sees(thread, lambda _: setup.text(thread).count("Tried.") >= turns, within=30)


async def denied(setup: BotSetup, thread: DiscordChannel, heading: str) -> None:
    """Wait for the card about it, and deny it."""
    card = await setup.card(thread, heading)
    await setup.ada.click(card, "Deny")
    await setup.becomes(card, "Denied")


async def always(setup: BotSetup, thread: DiscordChannel, heading: str, rule: str, scope: str) -> None:
    """Choose a rule on an open card."""
    card = await setup.card(thread, heading)
    await setup.ada.click(card, "Always…")
    await setup.becomes(card, "What should Claude stop asking about?")
    menu = next(
        each for row in card.components[0]["components"] for each in row.get("components", []) if each["type"] == 3
    )
    value = next(o["value"] for o in menu["options"] if o["label"] == rule and o["description"] == f"in this {scope}")
    await setup.ada.forge(card, menu["custom_id"], [value])


async def passes(setup: BotSetup, thread: DiscordChannel, prompt: str, turns: int) -> None:
    """Send a prompt, and check that no card asks about it."""
    await setup.ada.write(thread, prompt)
    await tried(setup, thread, turns)
    await setup.ada.sees(thread, f"by rule `{KIND}`")
    assert not [message for message in setup.ada.messages(thread) if "Allow" in buttons(message)]


async def test_a_kind_of_command_is_asked_for_once_and_nothing_passes_in_its_wake(
    setup: BotSetup, api: MessagesApi
) -> None:
    chained = ("pytest; touch x", "pytest $(touch x)", "cd src && pytest", "PYTHONPATH=x pytest")
    api.on("test it", run("pytest"))
    api.on("test more", run("pytest -k login -x"))
    api.on("chain it", run(*chained))
    async with setup.bot():
        thread = await setup.say("Please test it")
        await always(setup, thread, "pytest", KIND, "conversation")
        await tried(setup, thread)
        await passes(setup, thread, "Please test more", 2)
        await setup.ada.write(thread, "Please chain it")
        for command in chained:
            await denied(setup, thread, command)
        await tried(setup, thread, 3)
    assert ran(setup) == ["pytest ", "pytest -k login -x"]
    assert not (setup.project / "x").exists()
    kept = [(entry.outcome, entry.source) for entry in (one.entry for one in entries(setup.state / "state.sqlite3"))]
    assert kept[:3] == [("allowed", "button"), ("rule made", "button"), ("allowed", "rule")]


async def test_a_projects_rule_outlives_the_bot_and_counts_in_other_threads(setup: BotSetup, api: MessagesApi) -> None:
    api.on("test it", run("pytest"))
    api.on("test more", run("pytest -x"))
    async with setup.bot():
        thread = await setup.say("Please test it")
        await always(setup, thread, "pytest", KIND, "project")
        await tried(setup, thread)
    async with setup.bot() as running:
        await passes(setup, thread, "Please test more", 2)
        other = await setup.say("Please test more")
        await tried(setup, other)
        assert f"by rule `{KIND}`" in setup.text(other)
        await remove(setup, running, thread)
        for place in (thread, other):
            await setup.ada.write(place, "Please test it again")
            await denied(setup, place, "pytest")


async def remove(setup: BotSetup, running: RunningBot, thread: DiscordChannel) -> None:
    answer = await setup.ada.command(thread, "rules")
    message = await answer.finished()
    assert KIND in shown(message)
    await setup.ada.select(message, 0, [KIND])
    assert running.store.rules("demo") == []


@pytest.mark.parametrize("half", [0, 1])
async def test_whoever_bends_a_kind_by_its_arguments_meets_a_card_and_runs_nothing(
    setup: BotSetup, api: MessagesApi, half: int
) -> None:
    kinds = list(TRIED)[half::2]
    attacks = [f"{kind} {arguments}" for kind in kinds for arguments in TRIED[kind]]
    assert all(f"KIND {arguments}" in ATTACKS[kind]["asks"] for kind in kinds for arguments in TRIED[kind])
    plain = [kind for kind in kinds if kind != "git commit"]
    api.on("bend them", run(*plain, *attacks))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Bash", f"{kind}:*") for kind in kinds])
        thread = await setup.say("Please bend them")
        for attack in attacks:
            await denied(setup, thread, attack)
        await tried(setup, thread)
        assert setup.text(thread).count("by rule") == len(plain)
    assert [line.strip() for line in ran(setup)] == plain


@pytest.fixture(params=[version(), OLD_VERSION])
def either_setup(request: pytest.FixtureRequest, setup: BotSetup) -> BotSetup:
    """The same setup with the newest and the oldest CLI."""
    return replace(setup, command=(str(real_claude_or_skip(request.param)),))


async def test_an_exact_command_runs_in_the_folder_that_its_card_named(
    either_setup: BotSetup, api: MessagesApi
) -> None:
    setup = either_setup
    (setup.project / "sub").mkdir()
    own = setup.project / ".claude" / "settings.json"
    own.parent.mkdir()
    own.write_text('{"env": {"CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "0"}}')
    api.on("build it", run("cd sub", "make build", "cd sub && make build", "make build"))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Bash", "make build")])
        thread = await setup.say("Please build it")
        card = await setup.card(thread, "cd sub && make build")
        assert f"in `{setup.project}`" in shown(card)
        await setup.ada.click(card, "Deny")
        await tried(setup, thread)
        assert setup.text(thread).count("by rule `Bash(make build)`") == 2
    assert ran(setup) == ["make build", "make build"]


async def test_a_command_in_a_worktree_that_claude_entered_by_itself_is_asked_about(
    setup: BotSetup, api: MessagesApi
) -> None:
    git = await asyncio.create_subprocess_shell(
        "git init -q && git -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x", cwd=setup.project
    )
    assert await git.wait() == 0
    enter = Use("EnterWorktree", {"name": "aside"})
    build = Use("Bash", {"command": "make build"})
    api.on("go aside", script([enter], [build], [Say("Tried.")]))
    api.on("build it", run("make build"))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Bash", "make build")])
        thread = await setup.say("Please go aside")
        await denied(setup, thread, "make build")
        await tried(setup, thread)
        await setup.ada.write(thread, "Please build it")
        await denied(setup, thread, "make build")
        await tried(setup, thread, 2)
    assert ran(setup) == []


async def test_a_folder_passes_and_neither_the_way_out_of_it_nor_what_is_run(setup: BotSetup, api: MessagesApi) -> None:
    source = setup.project / "src"
    source.mkdir()
    (source / "out").symlink_to(setup.root)
    allowed = [source / "a.py", source / "deep" / "b.py"]
    asked = [setup.project / "c.py", source / ".env", source / "CLAUDE.md", source / "package.json", source / "run.sh"]
    asked += [source / "conftest.py", source / "out" / "d.py"]
    writes = [Use("Write", {"file_path": str(path), "content": "x"}) for path in (*allowed, *asked)]
    writes.append(Use("Write", {"file_path": f"{source}/../e.py", "content": "x"}))
    api.on("write them", script(*([write] for write in writes), [Say("Tried.")]))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Edit", f"/{source}/**")])
        thread = await setup.say("Please write them")
        for path in asked:
            await denied(setup, thread, path.name)
        await denied(setup, thread, "e.py")
        await tried(setup, thread)
        assert setup.text(thread).count("by rule") == len(allowed)
    assert all(path.exists() for path in allowed)
    assert not any(path.exists() for path in (*asked, setup.project / "e.py"))


async def test_a_rule_counts_for_a_subagent_too(setup: BotSetup, api: MessagesApi) -> None:
    delegate = Use("Agent", {"description": "build", "prompt": "the aide's task", "subagent_type": "general-purpose"})
    api.on("delegate it", script([delegate], [Say("Tried.")]))
    api.on("the aide's task", run("make build", "make other"))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Bash", "make build")])
        thread = await setup.say("Please delegate it")
        await denied(setup, thread, "make other")
        await tried(setup, thread)
    assert ran(setup) == ["make build"]


@pytest.mark.parametrize("name", ["aide", "general-purpose"])
async def test_a_command_of_an_agent_whose_file_sends_it_into_a_worktree_is_asked_about(
    setup: BotSetup, api: MessagesApi, name: str
) -> None:
    agent = setup.project / ".claude" / "agents" / "aide.md"
    agent.parent.mkdir(parents=True)
    agent.write_text(f"---\nname: {name}\ndescription: Helps.\nisolation: worktree\n---\nHelp.\n")
    git = await asyncio.create_subprocess_shell(
        "git init -q && git add -A && git -c user.name=x -c user.email=x@example.org commit -q -m x", cwd=setup.project
    )
    assert await git.wait() == 0
    delegate = Use("Agent", {"description": "build", "prompt": "the aide's task", "subagent_type": name})
    api.on("delegate it", script([delegate], [Say("Tried.")]))
    api.on("the aide's task", run("make build"))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Bash", "make build")])
        thread = await setup.say("Please delegate it")
        await denied(setup, thread, "make build")
    assert ran(setup) == []


async def test_no_rule_lets_claude_edit_while_it_plans(setup: BotSetup, api: MessagesApi) -> None:
    setup.project_settings["permission_mode"] = "plan"
    write = Use("Write", {"file_path": str(setup.project / "a.py"), "content": "x"})
    api.on("plan it", script([write], [Say("Tried.")]))
    async with setup.bot() as running:
        keep(setup, running, [Rule("Edit"), Rule("Edit", f"/{setup.project}/**")])
        thread = await setup.say("Please plan it")
        await denied(setup, thread, "a.py")
        await tried(setup, thread)
    assert not (setup.project / "a.py").exists()
