"""A small bot on unmodified hikari and lightbulb that uses everything our bot needs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import hikari
import lightbulb

from sandbox.discord import Discord

INTENTS = (
    hikari.Intents.GUILDS
    | hikari.Intents.GUILD_MESSAGES
    | hikari.Intents.GUILD_MESSAGE_TYPING
    | hikari.Intents.GUILD_MESSAGE_REACTIONS
    | hikari.Intents.DM_MESSAGES
    | hikari.Intents.MESSAGE_CONTENT
)

E = TypeVar("E", bound=hikari.Event)


@dataclass
class Bot:
    app: hikari.GatewayBot
    client: lightbulb.GatewayEnabledClient

    @property
    def rest(self) -> hikari.api.RESTClient:
        return self.app.rest

    @asynccontextmanager
    async def hearing(
        self, kind: type[E], which: Callable[[E], bool] = lambda _: True
    ) -> AsyncIterator[Callable[[], Awaitable[E]]]:
        """Listen inside the block; the yielded function waits for the first matching event."""
        first: asyncio.Future[E] = asyncio.get_running_loop().create_future()

        async def hear(event: E) -> None:
            if not first.done() and which(event):
                first.set_result(event)

        async def heard() -> E:
            async with asyncio.timeout(10):
                return await first

        self.app.subscribe(kind, hear)
        try:
            yield heard
        finally:
            self.app.unsubscribe(kind, hear)


loader = lightbulb.Loader()


@loader.command
class Status(lightbulb.SlashCommand, name="status", description="What runs"):
    loud = lightbulb.boolean("loud", "Tell everyone", default=False)

    @lightbulb.invoke
    async def invoke(self, ctx: lightbulb.Context) -> None:
        await ctx.respond("all is well", ephemeral=not self.loud)


@loader.command
class Later(lightbulb.SlashCommand, name="later", description="Think first"):
    @lightbulb.invoke
    async def invoke(self, ctx: lightbulb.Context) -> None:
        await ctx.defer(ephemeral=True)
        await ctx.respond("thought about it")
        await ctx.respond("and one more thing", ephemeral=True)


async def _complete(ctx: lightbulb.AutocompleteContext[str]) -> None:
    names = ["alpha", "beta", "gamma"]
    await ctx.respond([each for each in names if each.startswith(str(ctx.focused.value))])


@loader.command
class Pick(lightbulb.SlashCommand, name="pick", description="Pick one"):
    name_ = lightbulb.string("name", "Which", autocomplete=_complete)

    @lightbulb.invoke
    async def invoke(self, ctx: lightbulb.Context) -> None:
        await ctx.respond(f"picked {self.name_}")


@loader.command
class Ask(lightbulb.MessageCommand, name="Ask about this"):
    @lightbulb.invoke
    async def invoke(self, ctx: lightbulb.Context) -> None:
        await ctx.respond(f"about: {self.target.content}", ephemeral=True)


group = lightbulb.Group("session", "Sessions")


@group.register
class Resume(lightbulb.SlashCommand, name="resume", description="Resume"):
    id_ = lightbulb.string("id", "Which")

    @lightbulb.invoke
    async def invoke(self, ctx: lightbulb.Context) -> None:
        await ctx.respond(f"resumed {self.id_}")


loader.command(group)


async def _component(interaction: hikari.ComponentInteraction) -> None:
    match interaction.custom_id:
        case "allow":
            await interaction.create_initial_response(
                hikari.ResponseType.MESSAGE_UPDATE, f"allowed by {interaction.user.username}", components=[]
            )
        case "secret":
            await interaction.create_initial_response(
                hikari.ResponseType.MESSAGE_CREATE, "only for you", flags=hikari.MessageFlag.EPHEMERAL
            )
        case "slow":
            await interaction.create_initial_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)
            await interaction.edit_initial_response("done slowly", components=[])
            await interaction.execute("followed up", flags=hikari.MessageFlag.EPHEMERAL)
        case "form":
            row = hikari.impl.ModalActionRowBuilder().add_text_input("why", "Why not?", value="because")
            await interaction.create_modal_response("A form", "form:1", components=[row])
        case "menu":
            await interaction.create_initial_response(
                hikari.ResponseType.MESSAGE_CREATE, "chose " + " and ".join(interaction.values)
            )
        case _:
            pass  # a bot that does not respond in time


async def _modal(interaction: hikari.ModalInteraction) -> None:
    said = interaction.components[0][0].value
    await interaction.create_initial_response(hikari.ResponseType.MESSAGE_UPDATE, f"because: {said}", components=[])


@asynccontextmanager
async def running(discord: Discord, intents: hikari.Intents = INTENTS) -> AsyncIterator[Bot]:
    app = hikari.GatewayBot(
        discord.token,
        rest_url=discord.rest_url,
        banner=None,
        logs=None,
        suppress_optimization_warning=True,
        intents=intents,
    )
    client = lightbulb.client_from_app(app, default_enabled_guilds=list(discord.world.guilds))
    bot = Bot(app, client)
    await loader.add_to_client(client)

    @app.listen()
    async def interact(event: hikari.ComponentInteractionCreateEvent) -> None:
        await _component(event.interaction)

    @app.listen()
    async def submitted(event: hikari.ModalInteractionCreateEvent) -> None:
        await _modal(event.interaction)

    app.subscribe(hikari.StartingEvent, client.start)
    async with asyncio.timeout(10):
        await app.start(check_for_updates=False)
    try:
        yield bot
    finally:
        await app.close()
