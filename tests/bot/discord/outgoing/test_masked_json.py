"""Tests that secrets are masked in everything that goes to Discord: names, lists, choices, files, replies."""

import ast
import asyncio
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.discord.outgoing.masked_json import encode, without_masking
from sandbox.discord import TimeLimits, serve
from sandbox.discord.state.entities import DiscordMessage
from sandbox.messages_api import server as scripted_api
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.bot.masking.service_tokens import of
from tests.fixtures.bot_setup import BotSetup, shown
from tests.fixtures.discord_openapi import judge
from tests.fixtures.discord_server import new_server

BOT = Path(__file__).parents[4] / "bot"
PLACES = (
    "first words",
    "address in the first words",
    "prose",
    "command",
    "output",
    "question",
    "choice",
    "file name",
    "file text",
    "caption",
    "folder",
    "session",
    "fork",
    "model",
    "typed session",
    "asked about",
    "quoted message",
    "to do",
)
SECRETS = {place: of(20) if "address" in place else f"ghp_{of(36)}" for place in PLACES}


@pytest.fixture
async def api() -> AsyncIterator[MessagesApi]:
    async with scripted_api.serve() as api:
        yield api


@pytest.fixture
async def setup(tmp_path: Path, real_claude: Path, api: MessagesApi) -> AsyncIterator[BotSetup]:
    (tmp_path / "home").mkdir()
    folder = tmp_path / SECRETS["folder"]
    folder.mkdir()
    async with serve(pace=TimeLimits(speed=math.inf), judge=judge) as discord:
        discord_server = new_server(discord)
        setup = BotSetup(discord_server, tmp_path, (str(real_claude),), api.environment(tmp_path / "home"))
        setup.settings = {"owners": {"users": [discord_server.ada.user.id]}}
        setup.project_settings = {"folder": str(folder)}
        yield setup
        assert discord.violations == []


async def session_of_a_terminal(setup: BotSetup, words: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *(*setup.command, "-p", words),
        cwd=setup.root / SECRETS["folder"],
        env=dict(setup.environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(30):
        assert await process.wait() == 0


def leaks(setup: BotSetup) -> dict[str, list[str]]:
    """Return the secrets that the bot sent, with the requests that contained them."""
    sent = [(f"{each.method} {each.path}", json.dumps((each.body, each.files))) for each in setup.discord.requests]
    files = setup.discord.world.attachments.values()
    sent += [(f"file {each.name}", each.name + each.content.decode(errors="replace")) for each in files]
    found = {place: [where for where, text in sent if secret in text] for place, secret in SECRETS.items()}
    return {place: where for place, where in found.items() if where}


async def test_no_secret_gets_to_discord_on_any_way(setup: BotSetup, api: MessagesApi) -> None:
    folder = setup.root / SECRETS["folder"]
    name = f"{SECRETS['file name']}.txt"
    (folder / name).write_text(f"key = {SECRETS['file text']}\n", encoding="utf-8")
    question = {
        "question": f"Is {SECRETS['question']} right?",
        "header": "Key",
        "multiSelect": False,
        "options": [
            {"label": f"Yes {SECRETS['choice']}", "description": f"Take {SECRETS['choice']}"},
            {"label": "No", "description": "Take another"},
        ],
    }
    failing = f"echo {SECRETS['output'][:9]}''{SECRETS['output'][9:]} --with-token {SECRETS['command']}; exit 3"
    todos = [{"content": f"Use {SECRETS['to do']}", "activeForm": f"Using {SECRETS['to do']}", "status": "in_progress"}]
    sending = {"path": str(folder / name), "caption": f"With {SECRETS['caption']}"}
    api.on(
        "work on it",
        script(
            [Say(f"I use {SECRETS['prose']} for it."), Use("TodoWrite", {"todos": todos})],
            [Use("Bash", {"command": failing})],
            [Use("AskUserQuestion", {"questions": [question]})],
            [Use("mcp__discord__send_file", sending)],
            [Say(f"Done with {SECRETS['prose']}.")],
        ),
    )
    await session_of_a_terminal(setup, f"Remember {SECRETS['session']}")
    async with setup.bot():
        ada = setup.ada
        words = f"{SECRETS['first words']} https://ada:{SECRETS['address in the first words']}@x.org/ work on it"
        thread = await setup.say(words)
        assert "ghp_…" in thread.name
        card = await setup.card(thread, "exit 3")
        assert "ghp_…[key of 40 characters]" in shown(card)
        await ada.command(thread, "pending")
        await ada.click(card, "Allow")
        asked = await setup.card(thread, "right?")
        await ada.select(asked, 0, [_label(asked, "No")])
        await setup.done(thread)
        assert any(message.attachments for message in ada.messages(thread)), "the file was sent"
        for name in ("audit", "rules", "status", "context", "cost", "sessions", "settings", "export"):
            await (await ada.command(thread, name)).finished(within=30)
        await ada.command(setup.channel, "project list")
        offered = await ada.autocomplete(setup.channel, "resume", "session", "Remember")
        ((choice, session),) = offered.choices.items()
        assert choice.endswith("Remember ghp_…[masked]")
        await (await ada.command(setup.channel, "resume", session=SECRETS["typed session"])).finished(within=30)
        await (await ada.command(setup.channel, "resume", session=str(session))).finished(within=30)
        await (await ada.command(thread, "model", name=SECRETS["model"])).finished(within=30)
        await (await ada.command(thread, "fork", prompt=f"Now {SECRETS['fork']}")).finished(within=30)
        message = await setup.discord_server.eve.write(setup.channel, f"Broken: {SECRETS['quoted message']}")
        form = await ada.context_menu(message, "Ask Claude about this")
        await ada.submit(form.modal, {"What should Claude do?": f"Why {SECRETS['asked about']}?"})
        about = await ada.sees_thread(setup.channel, "Why")
        await setup.done(about)
        assert leaks(setup) == {}


def _label(message: DiscordMessage, label: str) -> str:
    options = [option for part in _walk(message.components) for option in part.get("options", [])]
    return next(str(option["label"]) for option in options if label in option["label"])


def _walk(components: list[Any]) -> list[Any]:
    return [part for each in components for part in (each, *_walk(each.get("components", [])))]


def test_what_comes_back_is_left_as_it_is_and_a_form_or_a_choice_never_gives_a_secret_away() -> None:
    secret = f"ghp_{of(36)}"

    def sent(body: Any) -> Any:
        return json.loads(encode(body))

    assert sent({"custom_id": secret, "nonce": secret}) == {"custom_id": secret, "nonce": secret}
    assert secret not in encode({"content": secret, "embeds": [{"title": secret}], "name": secret}).decode()
    assert sent({"choices": [{"name": "x", "value": secret}, {"name": secret, "value": "y"}]}) == {
        "choices": [{"name": "ghp_…[masked]", "value": "y"}]
    }
    field = {"type": 4, "custom_id": "c", "label": "Command", "value": f"echo {secret}"}
    assert "value" not in sent({"components": [field]})["components"][0]
    card = {"type": 10, "content": f"x {secret} y\n{'A' * 64}\n{'B' * 64}\n{'C' * 64}"}
    assert sent(card)["content"] == f"x ghp_…[key of 40 characters] y\n{'A' * 64}\n{'B' * 64}\n{'C' * 64}"
    with without_masking():
        assert secret in encode({"content": secret}).decode()
    assert secret not in encode({"content": secret}).decode()


def used(name: str) -> set[str]:
    """Find the modules that use something of this name."""
    modules = set()
    for path in BOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = {getattr(node, "attr", None), getattr(node, "id", None)}
            imported = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom | ast.Import) else []
            if name in called or name in imported:
                modules.add(str(path.relative_to(BOT)))
    return modules


def test_there_is_no_other_way_for_a_file_or_a_body_to_discord() -> None:
    assert used("Bytes") == {"discord/outgoing/components.py"}, "files are made where their texts are masked"
    assert used("GatewayBot") >= {"discord/client.py"}
    made = [path for path in BOT.rglob("*.py") if "GatewayBot(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in made] == ["client.py"]
    assert "dumps=encode" in made[0].read_text(encoding="utf-8")
    assert used("without_masking") == {"discord/interactions/card_buttons.py"}, "an owner asks for it, and nobody else"
    assert not used("ClientSession") & {str(path.relative_to(BOT)) for path in (BOT / "discord").rglob("*.py")}
    assert not used("RESTApp") | used("RESTClientImpl") | used("create_webhook")
