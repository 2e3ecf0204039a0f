"""What Discord's REST API answers, by subject."""

from sandbox.discord.rest.routes import application, channels, guilds, interactions, messages

ROUTES = (
    *application.ROUTES,
    *guilds.ROUTES,
    *channels.ROUTES,
    *messages.ROUTES,
    *interactions.ROUTES,
)
