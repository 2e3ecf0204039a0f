"""`init`: from nothing to a configuration, step by step."""

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from bot import config
from bot.config.values import LONGEST_NAME, is_name
from bot.discord.owner_pairing import PairedOwner, new_code, owner_pairing
from bot.errors import ConfigError, DiscordError, NotDone
from bot.projects.protected_files import WorkFolder, find_exposure
from bot.setup import config_files
from bot.setup.dialog import Dialog
from bot.setup.discord_api import ApplicationInfo, DiscordApi, DiscordApiError, looks_like_a_token, reached
from bot.setup.discord_permissions import invitation
from bot.setup.own_files import own_files

PORTAL = "https://discord.com/developers/applications"
FIRST = f"""\
You need a Discord application with a bot:
  1. {PORTAL} → New Application
  2. Bot → Reset Token → Copy"""
NOBODY_TO_ASK = (
    "There is nobody to ask for the bot's token. Put it into DISCORD_TOKEN, or pass it on standard input with "
    "--token-stdin; it is never taken from the command line, where others could read it."
)
NO_INTENT = (
    "The bot may not read messages, and could not be given that. Switch on «Message Content Intent» at "
    f"{PORTAL} → Bot, then run `claude-discord init` again."
)
NOBODY_CAME = (
    "Nobody wrote {code} within {seconds:g} s in a channel that the bot can see. Invite the bot with the link above, "
    "then run `claude-discord init` again; or give --user and --channel."
)


@dataclass(frozen=True, slots=True)
class InitOptions:
    """What was answered beforehand."""

    path: Path
    token_on_stdin: bool = False
    folder: Path | None = None
    project: str | None = None
    user: int | None = None
    channel: int | None = None
    wait: float = 600.0
    api: str | None = None


async def initialize(options: InitOptions, dialog: Dialog) -> None:
    """Ask, look, and write the configuration and the secret."""
    _may_replace(options.path, dialog)
    token = _token(options, dialog)
    async with reached(token, options.api) as api:
        application = await _application(api, dialog)
    folder = _folder(options, dialog)
    project = _project(options, dialog, folder)
    owner = await _pair_owner(options, token, application, dialog)
    text = config_files.configuration(
        config_files.FirstConfig(
            user=owner.user,
            user_name=owner.user_name,
            channel=owner.channel,
            channel_name=owner.channel_name,
            folder=folder,
            project=project,
            api=options.api,
        )
    )
    secret = options.path.parent / ".env"
    config_files.write_private(secret, config_files.secret(token, _old(secret)))
    config_files.write_private(options.path, text)
    dialog.tell(
        f"Written: {options.path}, and the token in {secret} (readable by you only).",
        configuration=str(options.path),
        secret=str(secret),
    )


def _may_replace(path: Path, dialog: Dialog) -> None:
    """Before anything is asked: what is there stays, unless somebody says yes."""
    if path.exists() and not dialog.yes(
        f"{path} is there already. Replace it?",
        otherwise=f"{path} is there already, and nothing is replaced without a yes: pass --yes, or another --config.",
    ):
        raise ConfigError(f"{path} was left as it is.")
    secret = path.parent / ".env"
    if config_files.TOKEN_LINE.search(_old(secret)) and not dialog.yes(
        f"{secret} has a token already. Replace it?",
        otherwise=f"{secret} has a token already, and nothing is replaced without a yes: pass --yes.",
    ):
        raise ConfigError(f"{secret} was left as it is.")


def _old(secret: Path) -> str:
    try:
        return secret.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{secret} can't be read: {error}.") from None


def _token(options: InitOptions, dialog: Dialog) -> str:
    if options.token_on_stdin:
        token = sys.stdin.readline().strip()
    elif found := os.environ.get(config.TOKEN_VARIABLE, "").strip():
        token = found
    else:
        dialog.tell(FIRST)
        token = dialog.secret("The bot's token (it is not shown)", NOBODY_TO_ASK)
    if not looks_like_a_token(token):
        raise ConfigError("That does not look like a bot token; copy it again: Bot → Reset Token → Copy.")
    return token


def _folder(options: InitOptions, dialog: Dialog) -> Path:
    """Find where Claude is to work: nowhere near what decides what it may do."""
    owned = own_files(config.Settings(), options.path)
    here = Path.cwd()
    default = "" if find_exposure(owned, [WorkFolder("folder", here)]) else str(here)
    while True:
        given = options.folder or Path(dialog.text("In which folder shall Claude work?", default))
        folder = given.expanduser().resolve()
        if not folder.is_dir():
            raise ConfigError(f"There is no folder {folder}. Create it, or name another with --folder.")
        found = find_exposure(owned, [WorkFolder("folder", folder)])
        if found is None:
            return folder
        if options.folder or not dialog.interactive:
            raise ConfigError(f"{found.says} Name another with --folder.")
        dialog.tell(str(found))


def _project(options: InitOptions, dialog: Dialog, folder: Path) -> str:
    named = options.project or dialog.text("What shall the project be called?", folder.name or "project")
    name = " ".join(named.split())[:LONGEST_NAME]
    if not is_name(name):
        raise ConfigError(f"{name!r} can't be a project's name; give another with --name.")
    return name


async def _application(api: DiscordApi, dialog: Dialog) -> ApplicationInfo:
    """Check the token, and see that the bot may read messages."""
    try:
        application = await api.application()
    except DiscordApiError as refused:
        if refused.refusal != 401:
            raise
        raise DiscordError("Discord does not accept this token; copy it again: Bot → Reset Token → Copy.") from None
    dialog.tell(f"The token is {application.name}'s.", application=application.name)
    if not application.reads_messages:
        if not dialog.yes("The bot may not read messages yet. Switch «Message Content Intent» on?", default=True):
            raise DiscordError(NO_INTENT)
        try:
            application = await api.read_messages(application)
        except DiscordApiError:
            raise DiscordError(NO_INTENT) from None
        if not application.reads_messages:
            raise DiscordError(NO_INTENT)
        dialog.tell("Switched on: the bot may read messages.", intent=True)
    return application


async def _pair_owner(options: InitOptions, token: str, application: ApplicationInfo, dialog: Dialog) -> PairedOwner:
    link = invitation(application.id)
    dialog.tell(f"Invite the bot to your server, if it is not there yet:\n  {link}", invitation=link)
    if options.user is not None and options.channel is not None:
        return PairedOwner(options.user, "", options.channel, "")
    code = new_code()
    async with owner_pairing(token, options.api, code) as pairing:
        dialog.tell(f"Now write this in the channel in which Claude shall work:\n  {code}", code=code)
        try:
            async with asyncio.timeout(options.wait):
                owner = await pairing
        except TimeoutError:
            raise NotDone(NOBODY_CAME.format(code=code, seconds=options.wait)) from None
    dialog.tell(f"Hello {owner.user_name}, in {owner.channel_name}!", user=owner.user, channel=owner.channel)
    return PairedOwner(
        options.user or owner.user, owner.user_name, options.channel or owner.channel, owner.channel_name
    )
