"""Tests that unmodified hikari and lightbulb work in the sandbox as in Discord."""

import hikari
import pytest

from sandbox.discord import NotSeenError, PersonCannotError, TimeLimits, Upload
from tests.fixtures.discord_server import DiscordServer
from tests.sandbox.discord.hikari_bot import Bot, running


def buttons(*ids: str) -> list[hikari.impl.MessageActionRowBuilder]:
    row = hikari.impl.MessageActionRowBuilder()
    for each in ids:
        row.add_interactive_button(hikari.ButtonStyle.PRIMARY, each, label=each.title())
    return [row]


async def test_a_bot_becomes_ready_and_registers_its_commands(discord_server: DiscordServer, bot: Bot) -> None:
    assert bot.app.is_alive
    commands = discord_server.discord.world.application.commands[discord_server.guild.id]
    assert {each["name"] for each in commands.values()} == {"status", "later", "pick", "session", "Ask about this"}
    assert bot.app.cache.get_guild(discord_server.guild.id).name == "Workshop"
    assert discord_server.channel.id in bot.app.cache.get_guild_channels_view()


async def test_a_second_start_finds_its_commands_unchanged(discord_server: DiscordServer, bot: Bot) -> None:
    def puts() -> int:
        return sum(each.method == "PUT" for each in discord_server.discord.requests)

    first = puts()
    async with running(discord_server.discord):
        assert puts() == first == 1


async def test_a_message_is_heard_and_replied_to(discord_server: DiscordServer, bot: Bot) -> None:
    async with bot.hearing(hikari.GuildMessageCreateEvent) as heard:
        written = await discord_server.ada.write(
            discord_server.channel, "hello <@1>, there", files=[Upload("a.txt", b"abc")]
        )
        event = await heard()
    assert event.content == "hello <@1>, there"
    assert event.member.role_ids[0] == discord_server.developers.id
    assert await event.message.attachments[0].read() == b"abc"
    await event.message.respond("hi!", reply=True)
    reply = await discord_server.ada.sees(discord_server.channel, "hi!")
    assert reply.reply_to is written
    assert reply.pings == ()


async def test_without_the_content_intent_only_what_concerns_the_bot_is_readable(discord_server: DiscordServer) -> None:
    async with running(discord_server.discord, hikari.Intents.GUILDS | hikari.Intents.GUILD_MESSAGES) as bot:
        async with bot.hearing(hikari.GuildMessageCreateEvent) as heard:
            await discord_server.ada.write(discord_server.channel, "secret")
            assert (await heard()).content is None
        async with bot.hearing(hikari.GuildMessageCreateEvent) as heard:
            await discord_server.ada.write(discord_server.channel, f"{discord_server.discord.world.bot.mention} hello")
            assert "hello" in (await heard()).content


async def test_typing_and_reactions_are_heard(discord_server: DiscordServer, bot: Bot) -> None:
    async with bot.hearing(hikari.GuildTypingEvent) as heard:
        await discord_server.ada.typing(discord_server.channel)
        assert (await heard()).user_id == discord_server.ada.user.id
    message = await discord_server.ada.write(discord_server.channel, "look")
    async with bot.hearing(hikari.GuildReactionAddEvent) as heard:
        await discord_server.eve.react(message, "👍")
        assert (await heard()).emoji_name == "👍"
    await bot.rest.add_reaction(discord_server.channel.id, message.id, "⏳")
    assert message.reactions["⏳"] == [discord_server.discord.world.bot]
    await bot.rest.delete_my_reaction(discord_server.channel.id, message.id, "⏳")
    assert "⏳" not in message.reactions


async def test_a_thread_on_a_message_takes_its_id_and_can_be_renamed_and_archived(
    discord_server: DiscordServer, bot: Bot
) -> None:
    message = await discord_server.ada.write(discord_server.channel, "do this")
    thread = await bot.rest.create_message_thread(discord_server.channel.id, message.id, "Doing this")
    assert thread.id == message.id
    await bot.rest.create_message(thread.id, "in the thread")
    seen = await discord_server.ada.sees_thread(discord_server.channel, "Doing")
    await discord_server.ada.sees(seen, "in the thread")
    await bot.rest.edit_channel(thread.id, name="Done")
    await discord_server.ada.sees(seen, lambda each: each.type == 4 and each.content == "Done")
    async with bot.hearing(hikari.GuildThreadUpdateEvent, lambda event: event.thread.is_archived) as heard:
        await discord_server.ada.archive(seen)
        await heard()
    async with bot.hearing(hikari.GuildThreadUpdateEvent, lambda event: not event.thread.is_archived) as heard:
        await bot.rest.create_message(thread.id, "again")
        await heard()


async def test_a_deleted_thread_and_a_deleted_message_are_unknown(discord_server: DiscordServer, bot: Bot) -> None:
    thread = await bot.rest.create_thread(
        discord_server.channel.id, hikari.ChannelType.GUILD_PUBLIC_THREAD, "Short-lived"
    )
    seen = await discord_server.ada.sees_thread(discord_server.channel)
    async with bot.hearing(hikari.GuildThreadDeleteEvent) as heard:
        await discord_server.ada.delete_channel(seen)
        assert (await heard()).thread_id == thread.id
    with pytest.raises(hikari.NotFoundError, match="10003"):
        await bot.rest.create_message(thread.id, "anyone?")
    message = await bot.rest.create_message(discord_server.channel.id, "card")
    async with bot.hearing(hikari.GuildMessageDeleteEvent) as heard:
        await bot.rest.delete_message(discord_server.channel.id, message.id)
        assert (await heard()).message_id == message.id
    with pytest.raises(hikari.NotFoundError, match="10008"):
        await bot.rest.edit_message(discord_server.channel.id, message.id, "card, later")


async def test_a_button_press_changes_the_message(discord_server: DiscordServer, bot: Bot) -> None:
    await bot.rest.create_message(discord_server.channel.id, "may I?", components=buttons("allow"))
    message = await discord_server.ada.sees(discord_server.channel, "may I?")
    answer = await discord_server.ada.click(message, "Allow")
    assert not answer.failed
    assert answer.took < 1
    assert message.text == "allowed by ada"
    with pytest.raises(PersonCannotError, match="There is no 'Allow'"):
        await discord_server.ada.click(message, "Allow")


async def test_an_ephemeral_answer_is_seen_by_one_person(discord_server: DiscordServer, bot: Bot) -> None:
    await bot.rest.create_message(discord_server.channel.id, "psst", components=buttons("secret"))
    message = await discord_server.ada.sees(discord_server.channel, "psst")
    answer = await discord_server.ada.click(message, "secret")
    assert answer.ephemeral
    assert answer.text == "only for you"
    await discord_server.ada.sees(discord_server.channel, "only for you")
    with pytest.raises(NotSeenError, match="psst"):
        await discord_server.eve.sees(discord_server.channel, "only for you", within=0.05)


async def test_a_deferred_update_is_edited_and_followed_up(discord_server: DiscordServer, bot: Bot) -> None:
    await bot.rest.create_message(discord_server.channel.id, "wait", components=buttons("slow"))
    message = await discord_server.ada.sees(discord_server.channel, "wait")
    answer = await discord_server.ada.click(message, "slow")
    assert (await answer.followed_up()).text == "followed up"
    assert message.text == "done slowly"


async def test_a_menu_gives_its_values(discord_server: DiscordServer, bot: Bot) -> None:
    row = hikari.impl.MessageActionRowBuilder()
    menu = row.add_text_menu("menu", placeholder="Which?", min_values=1, max_values=2)
    for each in ("one", "two", "three"):
        menu.add_option(each.title(), each)
    await bot.rest.create_message(discord_server.channel.id, "choose", component=row)
    message = await discord_server.ada.sees(discord_server.channel, "choose")
    answer = await discord_server.ada.select(message, "Which?", ["Two", "Three"])
    assert answer.text == "chose two and three"
    with pytest.raises(PersonCannotError, match="1 to 2 choices"):
        await discord_server.ada.select(message, "Which?", ["One", "Two", "Three"])
    with pytest.raises(PersonCannotError, match="does not offer 'Four'"):
        await discord_server.ada.select(message, "Which?", ["Four"])


async def test_a_form_opens_and_is_sent(discord_server: DiscordServer, bot: Bot) -> None:
    await bot.rest.create_message(discord_server.channel.id, "no?", components=buttons("form"))
    message = await discord_server.ada.sees(discord_server.channel, "no?")
    opened = await discord_server.ada.click(message, "form")
    assert opened.modal.title == "A form"
    assert opened.modal.field("Why not?").value == "because"
    await discord_server.ada.submit(opened.modal, {"Why not?": "too risky"})
    assert message.text == "because: too risky"


async def test_components_of_the_second_version_are_shown_and_work(discord_server: DiscordServer, bot: Bot) -> None:
    box = hikari.impl.ContainerComponentBuilder(accent_color=hikari.Color(0x5865F2))
    box.add_text_display("# A card").add_separator(divider=True)
    box.add_file(hikari.Bytes(b"+1", "diff.txt"))
    [row] = buttons("secret")
    box.add_component(row)
    await bot.rest.create_message(discord_server.channel.id, component=box)
    message = await discord_server.ada.sees(discord_server.channel, "# A card")
    assert message.components[0]["components"][2]["file"]["url"] == message.attachments[0].url
    assert (await discord_server.ada.click(message, "Secret")).text == "only for you"


async def test_commands_answer_defer_complete_and_nest(discord_server: DiscordServer, bot: Bot) -> None:
    ada, channel = discord_server.ada, discord_server.channel
    assert (await ada.command(channel, "status")).ephemeral
    assert not (await ada.command(channel, "status", loud=True)).ephemeral
    later = await ada.command(channel, "later")
    assert (await later.finished()).text == "thought about it"
    assert (await later.followed_up()).text == "and one more thing"
    assert list((await ada.autocomplete(channel, "pick", "name", "b")).choices) == ["beta"]
    assert (await ada.command(channel, "pick", name="beta")).text == "picked beta"
    assert (await ada.command(channel, "session resume", id="7")).text == "resumed 7"
    written = await discord_server.eve.write(channel, "a thought")
    assert (await ada.context_menu(written, "Ask about this")).text == "about: a thought"
    with pytest.raises(PersonCannotError, match="needs name"):
        await ada.command(channel, "pick")
    with pytest.raises(PersonCannotError, match="no command 'nothing'"):
        await ada.command(channel, "nothing")


async def test_a_direct_message_goes_both_ways(discord_server: DiscordServer, bot: Bot) -> None:
    dm = await bot.rest.create_dm_channel(discord_server.ada.user.id)
    await dm.send("psst")
    channel = discord_server.discord.world.channel(dm.id)
    await discord_server.ada.sees(channel, "psst")
    async with bot.hearing(hikari.DMMessageCreateEvent, lambda event: event.is_human) as heard:
        await discord_server.ada.write(channel, "yes?")
        assert (await heard()).content == "yes?"


class TestABotThatDoesNotAnswer:
    @pytest.fixture
    def pace(self) -> TimeLimits:
        return TimeLimits(speed=50, patience=0.2)

    async def test_in_time_has_failed_and_its_late_answer_is_unknown(
        self, discord_server: DiscordServer, bot: Bot
    ) -> None:
        await bot.rest.create_message(discord_server.channel.id, "hm", components=buttons("ignored"))
        message = await discord_server.ada.sees(discord_server.channel, "hm")
        async with bot.hearing(hikari.ComponentInteractionCreateEvent) as heard:
            answer = await discord_server.ada.click(message, "Ignored")
            event = await heard()
        assert answer.failed
        with pytest.raises(hikari.NotFoundError, match="10062"):
            await event.interaction.create_initial_response(hikari.ResponseType.MESSAGE_CREATE, "sorry")


async def test_a_second_answer_is_refused(discord_server: DiscordServer, bot: Bot) -> None:
    await bot.rest.create_message(discord_server.channel.id, "hm", components=buttons("secret"))
    message = await discord_server.ada.sees(discord_server.channel, "hm")
    async with bot.hearing(hikari.ComponentInteractionCreateEvent) as heard:
        await discord_server.ada.click(message, "Secret")
        event = await heard()
    with pytest.raises(hikari.BadRequestError, match="40060"):
        await event.interaction.create_initial_response(hikari.ResponseType.MESSAGE_CREATE, "again")


async def test_a_forged_press_reaches_the_bot(discord_server: DiscordServer, bot: Bot) -> None:
    message = await discord_server.ada.write(discord_server.channel, "no buttons here")
    answer = await discord_server.eve.forge(message, "secret")
    assert answer.text == "only for you"
