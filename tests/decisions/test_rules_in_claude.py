"""Rules with the real `claude`: made on a card, kept over restarts, taken back while it runs."""

from dataclasses import replace

import pytest

from bot.conversations.conversations import Conversations
from bot.store.audit import entries
from sandbox.api import Api
from sandbox.discord import Channel
from sandbox.script import Say, Script, Use, script
from tests.roundtrip.house import House, buttons, shown

KIND = "Bash(npm test:*)"


def run(command: str) -> Script:
    return script([Use("Bash", {"command": command})], [Say("Tried.")])


def play(api: Api) -> None:
    api.on("test it", run("npm test"))
    api.on("test more", run("npm test --verbose"))
    api.on("chain it", run("npm test; rm -rf x"))
    api.on("substitute it", run("npm test $(touch x)"))


@pytest.fixture
def house(empty_house: House, api: Api) -> House:
    """A house whose npm does nothing, quickly."""
    play(api)
    npm = empty_house.root / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\necho tested\n")
    npm.chmod(0o755)
    path = f"{npm.parent}:{empty_house.environment['PATH']}"
    return replace(empty_house, environment={**empty_house.environment, "PATH": path})


async def always(house: House, thread: Channel, heading: str, rule: str, scope: str) -> None:
    """Choose a rule on an open card."""
    card = await house.card(thread, heading)
    await house.ada.click(card, "Always…")
    await house.becomes(card, "What need not be asked again?")
    menu = next(
        each for row in card.components[0]["components"] for each in row.get("components", []) if each["type"] == 3
    )
    value = next(o["value"] for o in menu["options"] if o["label"] == rule and o["description"] == f"in this {scope}")
    await house.ada.forge(card, menu["custom_id"], [value])


async def asks(house: House, thread: Channel, prompt: str, heading: str) -> None:
    """Say something, and be asked about it."""
    await house.ada.write(thread, prompt)
    card = await house.card(thread, heading)
    await house.ada.click(card, "Deny")
    await house.becomes(card, "Denied")


async def passes(house: House, thread: Channel, prompt: str, turns: int) -> None:
    """Say something, and not be asked about it."""
    await house.ada.write(thread, prompt)
    await house.done(thread, turns)
    await house.ada.sees(thread, f"by rule `{KIND}`")
    assert not [message for message in house.ada.messages(thread) if "Allow" in buttons(message)]


async def test_a_kind_of_command_is_asked_for_once_and_nothing_passes_in_its_wake(house: House) -> None:
    async with house.bot():
        thread = await house.say("Please test it")
        await always(house, thread, "npm test", KIND, "conversation")
        await house.done(thread)
        await passes(house, thread, "Please test more", 2)
        await asks(house, thread, "Please chain it", "npm test; rm -rf x")
        await asks(house, thread, "Please substitute it", "npm test $(touch x)")
        await house.done(thread, 4)
    assert not (house.project / "x").exists()
    kept = [(entry.outcome, entry.source) for entry in (one.entry for one in entries(house.state / "state.sqlite3"))]
    assert kept[:3] == [("allowed", "button"), ("rule made", "button"), ("allowed", "rule")]


async def test_a_projects_rule_outlives_the_bot_and_counts_in_other_threads(house: House) -> None:
    async with house.bot():
        thread = await house.say("Please test it")
        await always(house, thread, "npm test", KIND, "project")
        await house.done(thread)
    async with house.bot() as conversations:
        await passes(house, thread, "Please test more", 2)
        other = await house.say("Please test more")
        await house.done(other)
        assert f"by rule `{KIND}`" in house.text(other)
        await remove(house, conversations, thread)
        await asks(house, thread, "Please test it again", "npm test")
        await asks(house, other, "Please test it again", "npm test")


async def remove(house: House, conversations: Conversations, thread: Channel) -> None:
    answer = await house.ada.command(thread, "rules")
    message = await answer.finished()
    assert KIND in shown(message)
    await house.ada.select(message, 0, [KIND])
    assert conversations.store.rules("demo") == []
