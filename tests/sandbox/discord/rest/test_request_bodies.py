"""Tests that the sandbox accepts any body or refuses it as Discord would, and never breaks."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.discord import DiscordChannel, Upload
from sandbox.discord.errors import DiscordRefusal
from sandbox.discord.rest.request_bodies import draft, edit
from sandbox.discord.state.messages import InteractionOrigin, MessageEdit, post
from sandbox.discord.state.messages import edit as change
from sandbox.discord.state.world import World
from sandbox.discord.validation.command_limits import check_commands
from sandbox.discord.validation.component_limits import check_modal
from sandbox.discord.validation.message_limits import check_thread

scalars = st.one_of(st.none(), st.booleans(), st.integers(-2, 40), st.text(max_size=5), st.just("attachment://a.txt"))
types = st.sampled_from([1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 17, 18])


def objects(keys: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(keys.split()), values, max_size=6)


anything = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | objects("a id name", inner), max_leaves=6)
components = st.recursive(
    st.builds(
        lambda kind, rest: {**rest, "type": kind},
        types,
        objects("id style label custom_id content options file media items url min_values max_values", anything),
    ),
    lambda inner: st.builds(
        lambda kind, below, slot: {"type": kind, "components": below, "accessory": slot, "component": slot},
        types,
        st.lists(inner | scalars, max_size=4),
        inner | scalars,
    ),
    max_leaves=12,
)
parts = st.lists(components | scalars, max_size=4) | scalars
embeds = st.lists(objects("title description footer author fields", anything), max_size=3) | anything
bodies = st.fixed_dictionaries(
    {},
    optional={
        "content": scalars,
        "flags": st.sampled_from([None, 0, 64, 1 << 15, "x", -1, True]),
        "embeds": embeds,
        "components": parts,
        "attachments": anything | st.lists(objects("id filename description", scalars), max_size=3),
        "allowed_mentions": anything | objects("parse users roles replied_user", anything),
        "message_reference": anything | objects("message_id fail_if_not_exists", scalars),
        "nonce": scalars,
    },
)


def world() -> tuple[World, DiscordChannel]:
    made = World()
    return made, made.add_channel(made.add_guild("g"), "c")


@settings(deadline=None)
@given(body=bodies, with_file=st.booleans())
def test_a_message_is_taken_or_refused(body: dict[str, Any], with_file: bool) -> None:  # noqa: FBT001
    place, channel = world()
    files = {0: Upload("a.txt", b"x")} if with_file else {}
    try:
        message = post(place, channel, place.bot, draft(body, files, channel), InteractionOrigin())
    except DiscordRefusal as refusal:
        if refusal.status not in {400, 500}:
            raise
    else:
        place.snapshot(place.application.owner)
        change(place, message, MessageEdit(content="x"))


@settings(deadline=None)
@given(first=bodies, second=bodies)
def test_an_edit_is_taken_or_refused(first: dict[str, Any], second: dict[str, Any]) -> None:
    place, channel = world()
    message = post(place, channel, place.bot, draft({"content": "x"}, {}, channel), InteractionOrigin())
    for body in (first, second):
        try:
            change(place, message, edit(body, {}, message))
        except DiscordRefusal as refusal:
            if refusal.status not in {400, 500}:
                raise


@settings(deadline=None)
@given(data=st.fixed_dictionaries({}, optional={"custom_id": scalars, "title": scalars, "components": parts}))
def test_a_modal_is_taken_or_refused(data: dict[str, Any]) -> None:
    try:
        check_modal(data)
    except DiscordRefusal as refusal:
        if refusal.code != 50035:
            raise


@settings(deadline=None)
@given(commands=anything | st.lists(objects("name description type options nsfw", anything), max_size=3))
def test_commands_are_taken_or_refused(commands: Any) -> None:
    try:
        check_commands(commands)
    except DiscordRefusal as refusal:
        if refusal.code != 50035:
            raise


@given(body=objects("name auto_archive_duration archived locked", anything))
def test_a_thread_is_taken_or_refused(body: dict[str, Any]) -> None:
    try:
        check_thread(body)
    except DiscordRefusal as refusal:
        if refusal.code != 50035:
            raise
