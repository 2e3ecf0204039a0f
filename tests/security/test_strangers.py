"""Tests that everything in Discord is refused to people who may not do it, and that only they are told."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.discord.commands.access import OWNER_COMMANDS
from bot.discord.commands.model import ALIASES
from bot.discord.commands.settings import SUGGESTED_VALUES
from bot.discord.commands.thread_choices import DEFAULT
from bot.refusals import MAY_NOT_DECIDE, MAY_NOT_TALK, NO_PROJECT, OWNERS_ONLY
from sandbox.discord import DiscordChannel, DiscordMessage, DiscordPerson
from sandbox.discord.people.person import InteractionResult
from sandbox.discord.people.slash_commands import chat_data, menu_data
from sandbox.discord.state.entities import MessageType, Upload, walk
from sandbox.discord.state.interaction import Interaction, InteractionType
from sandbox.discord.state.messages import InteractionOrigin, MessageDraft, post, write
from sandbox.discord.validation.command_limits import CHAT, MESSAGE_MENU, SUB_COMMAND, SUB_GROUP, USER_MENU
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted

QUESTION = {"question": "Which one?", "header": "One", "options": [{"label": "This"}, {"label": "That"}]}
SCRIPTS = {
    "tool": script([Say("Working."), Use("Bash", {"command": "touch made.txt"})], [Say("Done.")]),
    "question": script([Use("AskUserQuestion", {"questions": [QUESTION]})], [Say("Thanks.")]),
    "plan": script([Use("ExitPlanMode", {"plan": "# Do it"})], [Say("Off we go.")]),
    "ping": script([Say("@everyone @here <@&{role}> <@{user}> https://discord.gg/invite look!")]),
}
COMMON = frozenset({DEFAULT, *ALIASES, *(value for values in SUGGESTED_VALUES.values() for value in values)})
"""Suggestions for everyone who types: values from the documentation."""
UNSETTLED = frozenset({"seen", "in_hand", "standing"})
"""Tables about what was read and sent, not about its effects."""


@dataclass(frozen=True)
class Scene:
    """A project with open requests in a conversation, and people who may not answer them."""

    setup: BotSetup
    thread: DiscordChannel
    cards: tuple[DiscordMessage, ...]
    talker: DiscordPerson
    """A person who may talk but not decide."""
    neighbour: DiscordPerson
    """A person who may do everything in another project."""

    def people(self) -> dict[str, DiscordPerson]:
        return {"a stranger": self.setup.discord_server.eve, "a decider of another project": self.neighbour}

    def facts(self) -> dict[str, Any]:
        """Return everything that someone could have changed."""
        setup, world = self.setup, self.setup.discord.world
        with sqlite3.connect(setup.state / "state.sqlite3") as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            rows = {name: list(database.execute(f"SELECT * FROM {name}")) for name in tables if name not in UNSETTLED}  # noqa: S608
        database.close()
        said = {
            channel.id: [shown(each) for each in world.messages(channel) if each.author is world.bot]
            for channel in list(world.channels.values())
            if channel.guild is not None
        }
        return {"rows": rows, "said": said, "files": sorted(path.name for path in setup.project.iterdir())}


@pytest.fixture
async def scene(discord_server: DiscordServer, tmp_path: Path) -> AsyncIterator[Scene]:
    world = discord_server.discord.world
    talkers = world.add_role(discord_server.guild, "talkers")
    neighbours = world.add_role(discord_server.guild, "neighbours")
    talker = world.add_member(discord_server.guild, "tom", roles=[talkers])
    neighbour = world.add_member(discord_server.guild, "nora", roles=[neighbours])
    other = world.add_channel(discord_server.guild, "other")
    (tmp_path / "other").mkdir()
    setup = scripted(discord_server, tmp_path, SCRIPTS)
    developers, theirs = {"roles": [discord_server.developers.id]}, {"roles": [neighbours.id]}
    setup.settings["people"] = developers
    setup.settings["projects"] = {
        "demo": {
            "folder": str(setup.project),
            "channels": [discord_server.channel.id],
            "talk": {"roles": [discord_server.developers.id, talkers.id]},
            "decide": developers,
        },
        "other": {"folder": str(tmp_path / "other"), "channels": [other.id], "talk": theirs, "decide": theirs},
    }
    async with setup.bot() as running:
        thread = await setup.say("tool")
        tool = await setup.card(thread, "touch made.txt")
        threads = [await setup.say(each) for each in ("question", "plan")]
        cards = (tool, await setup.card(threads[0], "Which one?"), await setup.card(threads[1], "Do it"))
        async with asyncio.timeout(20):
            await running.conversations.settle()  # what the bot still has to send is not their doing
        people = discord_server.discord
        yield Scene(setup, thread, cards, people.person(talker), people.person(neighbour))


Offer = tuple[dict[str, Any], list[str], dict[str, Any]]


def offered(scene: Scene) -> Iterator[Offer]:
    """Yield each registered command with the path to a sub-command and that one's options."""
    for commands in scene.setup.discord.world.application.commands.values():
        for command in commands.values():
            yield from _below(command, [], command)


def _below(command: dict[str, Any], path: list[str], level: dict[str, Any]) -> Iterator[Offer]:
    inner = [each for each in level.get("options") or () if each["type"] in {SUB_COMMAND, SUB_GROUP}]
    for each in inner:
        yield from _below(command, [*path, each["name"]], each)
    if not inner:
        yield command, path, level


def filled(scene: Scene, level: dict[str, Any]) -> dict[str, Any]:
    """Return a valid value for every option."""
    anything: dict[int, Any] = {
        3: "demo",
        4: 1,
        5: True,
        6: scene.setup.ada.user,
        7: scene.setup.channel,
        8: scene.setup.discord_server.developers,
        10: 1.0,
        11: Upload("a.txt", b"a"),
    }
    return {
        each["name"]: each["choices"][0]["value"] if each.get("choices") else anything[each["type"]]
        for each in level.get("options") or ()
    }


async def use(scene: Scene, person: DiscordPerson, channel: DiscordChannel, offer: Offer) -> InteractionResult:
    """Send a command, even if Discord's own client would not offer it here."""
    world = scene.setup.discord.world
    command, path, level = offer
    match command["type"]:
        case kind if kind == CHAT:
            data = chat_data(world, channel, command, path, filled(scene, level))
        case kind if kind == MESSAGE_MENU:
            data = menu_data(world, command, scene.cards[0], channel)
        case kind if kind == USER_MENU:
            data = menu_data(world, command, scene.setup.ada.user, channel)
        case kind:
            raise AssertionError(f"a command of the unknown type {kind}")
    return await person._ask(Interaction(InteractionType.COMMAND, person.user, channel, data))


async def test_no_command_does_anything_for_somebody_who_is_not_named(scene: Scene) -> None:
    before = scene.facts()
    commands = list(offered(scene))
    assert len(commands) >= 3
    for who, person in scene.people().items():
        for offer in commands:
            for channel in (scene.thread, scene.setup.channel):
                answer = await use(scene, person, channel, offer)
                name = " ".join([offer[0]["name"], *offer[1]])
                assert not answer.failed, f"/{name} by {who} was not answered"
                assert answer.ephemeral, f"/{name} by {who} was answered for all to see: {answer.text}"
                refused = answer.text in {MAY_NOT_TALK, MAY_NOT_DECIDE, OWNERS_ONLY, NO_PROJECT}
                assert refused, f"/{name} by {who} was answered with {answer.text}"
    assert scene.facts() == before


async def test_no_command_works_in_another_guild_or_in_a_direct_message(scene: Scene) -> None:
    world = scene.setup.discord.world
    guild = world.add_guild("Elsewhere")
    world.add_member(guild, scene.setup.ada.user)
    elsewhere = world.add_channel(guild, "general")
    private = world.dm(scene.setup.ada.user, world.bot)
    before = scene.facts()
    for offer in offered(scene):
        for channel in (elsewhere, private):
            name = offer[0]["name"]
            if name in OWNER_COMMANDS:
                continue
            answer = await use(scene, scene.setup.ada, channel, offer)
            assert answer.failed or answer.ephemeral, f"/{name} in {channel.name or 'a direct message'}"
    assert scene.facts()["rows"] == before["rows"]


async def test_what_an_option_completes_to_is_not_told_to_a_stranger(scene: Scene) -> None:
    eve = scene.setup.discord_server.eve
    for command, path, level in offered(scene):
        for option in level.get("options") or ():
            if option.get("autocomplete"):
                name = " ".join([command["name"], *path])
                answer = await eve.autocomplete(scene.thread, name, option["name"], "")
                assert set(answer.choices.values()) <= COMMON, f"/{name} tells a stranger {list(answer.choices)}"


async def test_no_button_and_no_menu_works_for_somebody_who_may_not_decide(scene: Scene) -> None:
    before = scene.facts()
    people = scene.people() | {"a talker": scene.talker}
    for who, person in people.items():
        for card in scene.cards:
            for component in [each for each in walk(card.components) if "custom_id" in each]:
                values = [each["value"] for each in component.get("options", ())][:1] or None
                answer = await person.forge(card, component["custom_id"], values)
                assert answer.ephemeral, f"{component['custom_id']} by {who}"
                assert MAY_NOT_DECIDE in answer.text
    assert scene.facts() == before
    assert all(buttons(card) for card in scene.cards)


async def test_no_form_works_for_somebody_who_may_not_decide(scene: Scene) -> None:
    """Someone who may decide opened the form; the person who submits it is checked again."""
    card = scene.cards[0]
    opened = [await scene.setup.ada.click(card, label) for label in buttons(card) if label.endswith("…")]
    modals = [answer.modal for answer in opened if answer.modal is not None]
    assert modals
    before = scene.facts()
    for modal in modals:
        fields = [each for each in walk(modal.data["components"]) if each["type"] == 4]
        rows = [
            {
                "type": 1,
                "id": 2 * place + 1,
                "components": [{"type": 4, "id": 2 * place + 2, "custom_id": each["custom_id"], "value": "rm -rf /"}],
            }
            for place, each in enumerate(fields)
        ]
        data = {"custom_id": modal.data["custom_id"], "components": rows}
        for person in (*scene.people().values(), scene.talker):
            answer = await person._ask(Interaction(InteractionType.MODAL, person.user, card.channel, data, card))
            assert answer.ephemeral
            assert MAY_NOT_DECIDE in answer.text
    assert scene.facts() == before


async def test_a_card_can_not_be_pressed_from_another_place(scene: Scene) -> None:
    mine = await scene.setup.ada.write(scene.setup.channel, "hello there")
    button = next(each for each in walk(scene.cards[0].components) if each["type"] == 2)
    answer = await scene.setup.ada.forge(mine, button["custom_id"])
    assert answer.ephemeral
    assert "no longer knows" in answer.text
    assert buttons(scene.cards[0])


async def test_the_words_of_strangers_bots_and_webhooks_are_nobodys_prompts(scene: Scene) -> None:
    world, setup = scene.setup.discord.world, scene.setup
    other_bot = world.add_user("other bot", bot=True)
    world.add_member(setup.discord_server.guild, other_bot, roles=[setup.discord_server.developers])
    before = scene.facts()
    for channel in (setup.channel, scene.thread):
        for text in ("yes", "allow", "no", "tool", "@everyone hello"):
            await setup.discord_server.eve.write(channel, text)
            await scene.neighbour.write(channel, text)
            write(world, channel, other_bot, MessageDraft(text))
            post(
                world,
                channel,
                setup.ada.user,
                MessageDraft(text),
                InteractionOrigin(MessageType.DEFAULT, webhook_id=setup.channel.id),
            )
    await setup.ada.write(world.dm(setup.ada.user, world.bot), "tool")
    mark = await setup.ada.write(scene.thread, "Is somebody there?")  # handled after all of them
    await setup.ada.sees(scene.thread, "Queued")
    after = scene.facts()
    prompts = [row for row in after["rows"]["prompt"] if row not in before["rows"]["prompt"]]
    assert [row[0] for row in prompts] == [mark.id]
    assert [row[7] for row in after["rows"]["ticket"]] == ["open"] * 3
    assert len(setup.ada.threads(setup.channel)) == 3


async def test_a_talker_who_may_not_decide_decides_nothing_with_words(scene: Scene) -> None:
    await scene.talker.write(scene.thread, "yes")
    told = await scene.talker.sees(scene.thread, lambda message: message.author is scene.setup.discord.world.bot)
    assert told is not None
    await scene.talker.write(scene.thread, "What are you doing?")
    await scene.talker.sees(scene.thread, "Queued")
    assert buttons(scene.cards[0])
    assert not (scene.setup.project / "made.txt").exists()


async def test_what_claude_says_pings_nobody(scene: Scene) -> None:
    thread = await scene.setup.say("ping")
    said = await scene.setup.ada.sees(thread, "look!")
    assert not said.everyone_pinged
    assert said.pings == ()
    assert said.role_pings == ()


async def test_a_right_that_is_taken_away_is_gone_at_once(scene: Scene) -> None:
    world, guild = scene.setup.discord.world, scene.setup.discord_server.guild
    world.set_roles(guild, guild.members[scene.setup.ada.user.id], [])
    answer = await scene.setup.ada.click(scene.cards[0], "Allow")
    assert MAY_NOT_DECIDE in answer.text
    assert not (scene.setup.project / "made.txt").exists()


async def test_a_prompt_that_waits_is_not_reworded_by_somebody_who_may_no_longer_talk(scene: Scene) -> None:
    world, guild = scene.setup.discord.world, scene.setup.discord_server.guild
    waiting = await scene.setup.ada.write(scene.thread, "Is somebody there?")
    await scene.setup.ada.sees(scene.thread, "Queued")
    world.set_roles(guild, guild.members[scene.setup.ada.user.id], [])
    await scene.setup.ada.edit(waiting, "Delete everything.")
    mark = await scene.talker.write(scene.thread, "What are you doing?")
    await scene.talker.sees(scene.thread, lambda _: any(row[0] == mark.id for row in scene.facts()["rows"]["prompt"]))
    texts = {row[0]: row[3] for row in scene.facts()["rows"]["prompt"]}
    assert texts[waiting.id] == "Is somebody there?"
