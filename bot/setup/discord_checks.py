"""Checks of Discord: the application, its commands, each channel, the clock."""

from collections.abc import Iterable

from bot.setup.discord_api import ApplicationInfo, DiscordApi, DiscordApiError
from bot.setup.discord_permissions import NEEDED, invitation, missing, rights
from bot.setup.findings import Ok, Problem

PORTAL = "https://discord.com/developers/applications"
TEXT_CHANNELS = {0, 5}
CLOCK_OFF = 60.0
"""Seconds; with a larger difference, certificates and the times on cards are wrong."""


def intent(application: ApplicationInfo) -> Ok | Problem:
    if application.reads_messages:
        return Ok("the bot can read messages")
    return Problem(
        "the bot can't read messages",
        f"turn on «Message Content Intent» at {PORTAL}/{application.id}/bot, or run `claude-discord init`",
    )


def endpoint(application: ApplicationInfo) -> Ok | Problem:
    """Check that Discord sends clicks to the bot: an endpoint URL would get them instead."""
    if not application.interactions_endpoint_url:
        return Ok("clicks reach the bot")
    return Problem(
        f"clicks are sent to {application.interactions_endpoint_url} and never reach the bot",
        f"clear «Interactions Endpoint URL» at {PORTAL}/{application.id}/information",
    )


def commands(registered: list[str], *, running: bool) -> Ok | Problem:
    if registered:
        return Ok(", ".join(sorted(registered)))
    if running:
        return Problem("the bot is running but has no commands in Discord", "restart it: claude-discord restart")
    return Ok("registered when the bot first starts")


async def channel(
    number: int, api: DiscordApi, application: ApplicationInfo, needed: Iterable[str] = NEEDED
) -> Ok | Problem:
    """Check that the bot can see a channel and has the permissions that it needs there."""
    link = invitation(application.id)
    try:
        found = await api.channel(number)
        if found.guild_id is None or found.type not in TEXT_CHANNELS:
            return Problem(
                "this is not a text channel of a server",
                "use a text channel; for a thread, the channel that it belongs to",
            )
        member = await api.member(found.guild_id, application.bot.id)
        may = rights(found, await api.roles(found.guild_id), member, application.bot.id)
    except DiscordApiError as refused:
        unknown = refused.refusal == 404
        says = "there is no such channel" if unknown else "the bot can't see it"
        cure = "correct the id" if unknown else "give the bot access (channel settings → Permissions)"
        return Problem(says, f"{cure}, or invite the bot to the server: {link}")
    if lacks := missing(may, needed):
        return Problem(
            f"in #{found.name} the bot lacks: {', '.join(lacks)}",
            f"give it these permissions, or invite it again: {link}",
        )
    return Ok(f"#{found.name}")


def clock(theirs: float | None, ours: float) -> Ok | Problem:
    if theirs is None:
        return Ok("unknown: Discord did not send its time")
    off = ours - theirs
    if abs(off) <= CLOCK_OFF:
        return Ok("correct")
    return Problem(
        f"this machine's clock is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} Discord's",
        "let the system set it: timedatectl set-ntp true",
    )
