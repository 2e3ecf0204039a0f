"""All routes of Discord's REST API that the sandbox has."""

from sandbox.discord.rest.routes import application, channels, guilds, interactions, messages

ROUTES = (
    *application.ROUTES,
    *guilds.ROUTES,
    *channels.ROUTES,
    *messages.ROUTES,
    *interactions.ROUTES,
)
