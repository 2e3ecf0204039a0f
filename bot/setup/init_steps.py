"""The steps of `claude-discord init`: from a bot token to a configuration."""

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
from bot.setup.discord_api import ApplicationInfo, DiscordApi, DiscordApiError, looks_like_a_token, open_api
from bot.setup.discord_permissions import invitation
from bot.setup.own_files import own_files

PORTAL = "https://discord.com/developers/applications"
CREATE_APPLICATION = f"""\
You need a Discord application with a bot:
  1. {PORTAL} → New Application
  2. Bot → Reset Token → Copy"""
NO_TERMINAL = (
    "Can't ask for the bot's token without a terminal. Put it in DISCORD_TOKEN, or pass it on standard input with "
    "--token-stdin. It can't be an argument, because others could read it there."
)
NO_INTENT = (
    "The bot can't read messages, and `init` could not change that. Turn on «Message Content Intent» at "
    f"{PORTAL} → Bot, then run `claude-discord init` again."
)
NOT_PAIRED = (
    "Nobody wrote {code} within {seconds:g} s in a channel that the bot can see. Invite the bot with the link above, "
    "then run `claude-discord init` again, or pass --user and --channel."
)


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The answers given on the command line."""

    path: Path
    token_on_stdin: bool = False
    folder: Path | None = None
    project: str | None = None
    user: int | None = None
    channel: int | None = None
    wait: float = 600.0
    api: str | None = None


async def initialize(options: InitOptions, dialog: Dialog) -> None:
    """Ask the questions, then write the configuration and `.env`."""
    _confirm_replacing(options.path, dialog)
    token = _ask_token(options, dialog)
    async with open_api(token, options.api) as api:
        application = await _check_application(api, dialog)
    folder = _ask_folder(options, dialog)
    project = _ask_project(options, dialog, folder)
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
    config_files.write_private(secret, config_files.secret(token, _current_text(secret)))
    config_files.write_private(options.path, text)
    dialog.tell(
        f"Written: {options.path}, and the token in {secret} (readable only by you).",
        configuration=str(options.path),
        secret=str(secret),
    )


def _confirm_replacing(path: Path, dialog: Dialog) -> None:
    """Ask before replacing existing files; raise ConfigError without a yes."""
    if path.exists() and not dialog.yes(
        f"{path} already exists. Replace it?",
        otherwise=f"{path} already exists. Pass --yes to replace it, or another path with --config.",
    ):
        raise ConfigError(f"{path} was not changed. Pass another path with --config.")
    secret = path.parent / ".env"
    if config_files.TOKEN_LINE.search(_current_text(secret)) and not dialog.yes(
        f"{secret} already has a token. Replace it?",
        otherwise=f"{secret} already has a token. Pass --yes to replace it.",
    ):
        raise ConfigError(f"{secret} was not changed. Pass another path with --config.")


def _current_text(secret: Path) -> str:
    try:
        return secret.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{secret} can't be read: {error}.") from None


def _ask_token(options: InitOptions, dialog: Dialog) -> str:
    if options.token_on_stdin:
        token = sys.stdin.readline().strip()
    elif found := os.environ.get(config.TOKEN_VARIABLE, "").strip():
        token = found
    else:
        dialog.tell(CREATE_APPLICATION)
        token = dialog.secret("Bot token (hidden)", NO_TERMINAL)
    if not looks_like_a_token(token):
        raise ConfigError("That does not look like a bot token. Get a new one: Bot → Reset Token → Copy.")
    return token


def _ask_folder(options: InitOptions, dialog: Dialog) -> Path:
    """Ask for the folder that Claude works in; refuse one in which Claude could rewrite the bot's own files."""
    owned = own_files(config.Settings(), options.path)
    here = Path.cwd()
    default = "" if find_exposure(owned, [WorkFolder("folder", here)]) else str(here)
    while True:
        given = options.folder or Path(dialog.text("Which folder should Claude work in?", default))
        folder = given.expanduser().resolve()
        if not folder.is_dir():
            raise ConfigError(f"There is no folder {folder}. Create it, or choose another one with --folder.")
        found = find_exposure(owned, [WorkFolder("folder", folder)])
        if found is None:
            return folder
        if options.folder or not dialog.interactive:
            raise ConfigError(f"{found.says} Choose another folder with --folder.")
        dialog.tell(str(found))


def _ask_project(options: InitOptions, dialog: Dialog, folder: Path) -> str:
    named = options.project or dialog.text("What should the project be called?", folder.name or "project")
    name = " ".join(named.split())[:LONGEST_NAME]
    if not is_name(name):
        raise ConfigError(f"{name!r} can't be the name of a project. Choose another one with --name.")
    return name


async def _check_application(api: DiscordApi, dialog: Dialog) -> ApplicationInfo:
    """Check the token and make sure that the bot can read messages."""
    try:
        application = await api.application()
    except DiscordApiError as refused:
        if refused.refusal != 401:
            raise
        raise DiscordError("Discord does not accept this token. Get a new one: Bot → Reset Token → Copy.") from None
    dialog.tell(f"The token belongs to {application.name}.", application=application.name)
    if not application.reads_messages:
        if not dialog.yes("The bot can't read messages yet. Turn on «Message Content Intent»?", default=True):
            raise DiscordError(NO_INTENT)
        try:
            application = await api.read_messages(application)
        except DiscordApiError:
            raise DiscordError(NO_INTENT) from None
        if not application.reads_messages:
            raise DiscordError(NO_INTENT)
        dialog.tell("Turned on: the bot can read messages.", intent=True)
    return application


async def _pair_owner(options: InitOptions, token: str, application: ApplicationInfo, dialog: Dialog) -> PairedOwner:
    link = invitation(application.id)
    dialog.tell(f"Invite the bot to your server, if it is not there yet:\n  {link}", invitation=link)
    if options.user is not None and options.channel is not None:
        return PairedOwner(options.user, "", options.channel, "")
    code = new_code()
    async with owner_pairing(token, options.api, code) as pairing:
        dialog.tell(f"Now send this in the channel that Claude should work in:\n  {code}", code=code)
        try:
            async with asyncio.timeout(options.wait):
                owner = await pairing
        except TimeoutError:
            raise NotDone(NOT_PAIRED.format(code=code, seconds=options.wait)) from None
    dialog.tell(f"Hello {owner.user_name} in {owner.channel_name}!", user=owner.user, channel=owner.channel)
    return PairedOwner(
        options.user or owner.user, owner.user_name, options.channel or owner.channel, owner.channel_name
    )
