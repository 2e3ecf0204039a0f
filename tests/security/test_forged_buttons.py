"""Tests that every kind of button is refused to people who may not press it, wherever it is forged."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app import RunningBot
from bot.conversations.queue_actions import UNKNOWN_CONVERSATION
from bot.decisions.card_answers import OTHERS
from bot.discord.interactions.worktree_buttons import GONE
from bot.permission_requests.rules import Rule, SavedRule
from bot.refusals import MAY_NOT_DECIDE, MAY_NOT_TALK
from sandbox.discord import DiscordMessage, DiscordPerson
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import BotSetup, buttons
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import custom_ids, scripted

READS = [Use("Read", {"file_path": f"/etc/{name}"}) for name in ("a", "b", "c")]
TOO_LARGE = "9" * 20
REFUSALS = (MAY_NOT_DECIDE, MAY_NOT_TALK, OTHERS, UNKNOWN_CONVERSATION, GONE)


@dataclass(frozen=True)
class Scene:
    """A thread with a card for three requests and a queued prompt, and a neighbour's message in another project."""

    setup: BotSetup
    running: RunningBot
    card: DiscordMessage
    other_card: DiscordMessage
    """The same in another thread."""
    queued: int
    elsewhere: DiscordMessage
    strangers: dict[str, DiscordPerson]
    talker: DiscordPerson

    def facts(self) -> object:
        store = self.running.store
        tickets = [ticket.state for ticket in store.every_open_ticket()]
        return tickets, store.rules("demo"), store.rules("other"), store.prompt(self.queued)


@pytest.fixture
async def scene(discord_server: DiscordServer, tmp_path: Path) -> AsyncIterator[Scene]:
    discord, guild = discord_server.discord, discord_server.guild
    world = discord.world
    roles = {name: world.add_role(guild, name) for name in ("talkers", "neighbours")}
    tom, nora = (
        discord.person(world.add_member(guild, name, roles=[role]))
        for name, role in zip(("tom", "nora"), roles.values(), strict=True)
    )
    other = world.add_channel(guild, "other")
    (tmp_path / "other").mkdir()
    setup = scripted(discord_server, tmp_path, {"read": script(READS, [Say("Done.")]), "hello": script([Say("Hi.")])})
    ours, theirs = {"roles": [discord_server.developers.id]}, {"roles": [roles["neighbours"].id]}
    talk = {"roles": [discord_server.developers.id, roles["talkers"].id]}
    setup.settings["people"] = ours
    setup.settings["projects"] = {
        "demo": {
            "folder": str(setup.project),
            "channels": [discord_server.channel.id],
            "talk": talk,
            "decide": ours,
            "style": "thread",
        },
        "other": {"folder": str(tmp_path / "other"), "channels": [other.id], "talk": theirs, "decide": theirs},
    }
    async with setup.bot() as running:
        cards = [await setup.card(await setup.say("read"), "at once?") for _ in range(2)]
        for project in ("demo", "other"):
            running.store.add_rule(SavedRule(0, Rule("WebSearch"), project, None, 1, 0.0))
        queued = await setup.ada.write(cards[0].channel, "hello")
        await setup.ada.sees(cards[0].channel, "Queued")
        elsewhere = await nora.write(other, "hello")
        strangers = {"a stranger": discord_server.eve, "a decider of another project": nora}
        yield Scene(setup, running, cards[0], cards[1], queued.id, elsewhere, strangers, tom)


def forged(scene: Scene) -> dict[str, list[str] | None]:
    """Return a custom_id of each kind that means something here, with the chosen values."""
    thread, (rule,) = scene.card.channel.id, scene.running.store.rules("demo")
    return {
        custom_ids(scene.card)[0]: None,
        custom_ids(scene.other_card)[0]: None,
        "rule:remove": [str(rule.id)],
        **{f"wish:{verb}:{scene.queued}": None for verb in ("now", "drop", "resend", "again")},
        **{f"wish:{verb}:{thread}": None for verb in ("go-on", "run-held", "drop-held")},
        **{f"panel:{verb}:demo": None for verb in ("start", "stop", "open")},
        **{f"worktree:{verb}:{thread}:x": None for verb in ("commit", "merge", "discard", "yes", "keep", "request")},
    }


async def test_no_button_works_for_somebody_who_may_not_press_it(scene: Scene) -> None:
    before = scene.facts()
    people = scene.strangers | {"a talker": scene.talker}
    for name, values in forged(scene).items():
        for who, person in people.items():
            for message in (scene.card, scene.elsewhere):
                if person is scene.talker and name.startswith(("wish:", "panel:")):
                    continue  # they may
                answer = await person.forge(message, name, values)
                worktree = name.startswith("worktree:")
                told = await (answer.followed_up() if worktree else answer.finished())
                assert told.ephemeral, f"{name} by {who}"
                assert any(refusal in told.text for refusal in REFUSALS), f"{name} by {who}: {told.text}"
    assert scene.facts() == before
    assert buttons(scene.card)


async def test_one_threads_group_can_not_be_allowed_in_another(scene: Scene) -> None:
    before = scene.facts()
    answer = await scene.setup.ada.forge(scene.card, custom_ids(scene.other_card)[0])
    assert "have changed" in answer.text
    assert scene.facts() == before


async def test_a_rule_of_another_project_can_not_be_removed(scene: Scene) -> None:
    (theirs,) = scene.running.store.rules("other")
    assert MAY_NOT_DECIDE in (await scene.setup.ada.forge(scene.card, "rule:remove", [str(theirs.id)])).text
    assert scene.running.store.rules("other") == [theirs]


async def test_a_talker_may_send_a_queued_prompt_but_a_stranger_may_not(scene: Scene) -> None:
    eve = scene.setup.discord_server.eve
    assert MAY_NOT_TALK in (await eve.forge(scene.card, f"wish:drop:{scene.queued}")).text
    assert not (await scene.talker.forge(scene.card, f"wish:drop:{scene.queued}")).failed
    dropped = scene.running.store.prompt(scene.queued)
    assert dropped is not None
    assert dropped.state == "dropped"


@pytest.mark.parametrize(
    ("name", "values"), [("rule:remove", [TOO_LARGE]), (f"wish:again:{TOO_LARGE}", None)], ids=["rule", "prompt"]
)
async def test_a_number_that_is_too_large_for_the_state_file_is_unknown(
    scene: Scene, caplog: pytest.LogCaptureFixture, name: str, values: list[str] | None
) -> None:
    answer = await scene.setup.ada.forge(scene.card, name, values)
    assert answer.ephemeral
    assert "no longer" in answer.text
    assert "Traceback" not in caplog.text
