"""Puts the bot together and runs it, from a checked configuration until its last process has ended."""

import asyncio
import fcntl
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import hikari
import lightbulb

from bot import restart, systemd
from bot.claude.environment import environment
from bot.claude.local_host import LocalHost
from bot.claude.session_files import Sessions, environment_of
from bot.config import Settings
from bot.conversations.conversation_parts import Ports
from bot.conversations.conversations import Conversations
from bot.conversations.request_files import RequestFiles
from bot.decisions.card_answers import CardAnswers
from bot.decisions.desk import Desk
from bot.decisions.rulebook import Rulebook
from bot.decisions.unanswered_requests import UnansweredRequests
from bot.discord import client, commands
from bot.discord.commands.ask_about_message import AskAboutForm
from bot.discord.config_change_card import ConfigChangeCard
from bot.discord.incoming.inbox import Inbox
from bot.discord.incoming.message_changes import MessageChanges
from bot.discord.incoming.messages import IncomingMessages
from bot.discord.incoming.voice import Transcriber
from bot.discord.interactions.card_buttons import CardButtons
from bot.discord.interactions.queue_buttons import QueueButtons
from bot.discord.interactions.router import InteractionRouter
from bot.discord.interactions.worktree_buttons import WorktreeCards
from bot.discord.outgoing.rate_limits import RateLimits
from bot.discord.outgoing.thread_channel import ThreadChannel
from bot.discord.panel import Panel
from bot.discord.project_lookup import ProjectLookup
from bot.discord.say_threads import SayThreads
from bot.discord.threads import Threads
from bot.errors import ConfigError, StateError
from bot.local_api import health, owner_protocol, owner_routes, permission_routes, server, tokens
from bot.local_api.owner_commands import OwnerCommands
from bot.ports import Channel
from bot.projects.config_reload import ConfigReload
from bot.projects.projects import Projects
from bot.projects.worktrees import Worktrees
from bot.render.replies.rules import REMOVE
from bot.retention import Retention
from bot.setup.own_files import find_own_exposure, own_files
from bot.store import FILE_NAME, Store
from bot.text.count import count
from bot.transcript.session_history import SessionHistory

log = logging.getLogger(__name__)

OpenChannel = Callable[[int], AbstractAsyncContextManager[Channel]]


@dataclass(frozen=True, slots=True)
class Start:
    """Everything a bot needs to start."""

    settings: Settings
    token: str = field(repr=False)
    claude_environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that Claude gets in addition to the user's environment; the sandbox and the tests set them."""
    kept: Mapping[str, int] = field(default_factory=dict)
    """The stdin of each run that the previous bot left running when it restarted."""
    leave: Callable[[], None] | None = None
    """Lets the next bot take this one's place; None if that isn't possible."""
    file: Path | None = None
    """The configuration file, which is watched for changes."""
    port: int | None = None
    """The local API's port, if the command line names one."""


@dataclass(frozen=True, slots=True)
class RunningBot:
    """The parts of a bot that know nothing of Discord; `serving` gives them to whoever started the bot."""

    store: Store
    host: LocalHost
    projects: Projects
    worktrees: Worktrees
    desk: Desk
    files: RequestFiles
    conversations: Conversations
    config_reload: ConfigReload | None
    """None if the settings don't come from a file."""


@dataclass(frozen=True, slots=True)
class _DiscordSide:
    """The parts that people in Discord see and use."""

    gateway: hikari.GatewayBot
    lookup: ProjectLookup
    threads: Threads
    panel: Panel
    configuration_card: ConfigChangeCard | None
    ready: asyncio.Event
    """Set when the conversations are open; everything that happens in Discord before that waits."""


async def run(start: Start) -> None:
    """Run the bot until Ctrl-C, SIGTERM or a closed terminal, which may come while it is still logging in."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup lets it outlive its terminal
            loop.add_signal_handler(number, stop.set)
    leaving = asyncio.Event()
    bot = asyncio.create_task(_serve(replace(start, kept=restart.read_descriptors(), leave=leaving.set), leaving))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({bot, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not bot.done():
        log.info("Stopping. Claude's processes are ended first.")
        systemd.notify("STOPPING=1")
    stopping.cancel()
    bot.cancel()
    with suppress(asyncio.CancelledError):
        await bot


async def _serve(start: Start, leaving: asyncio.Event) -> None:
    async with serving(start) as running:
        log.info("Ready. Claude listens in %s; press Ctrl-C to stop.", count(len(start.settings.channels), "channel"))
        systemd.notify("READY=1")
        await leaving.wait()
        await restart.replace_process(running.conversations)


@asynccontextmanager
async def serving(start: Start) -> AsyncIterator[RunningBot]:
    """Stay connected to Discord and answer Claude's requests inside the block."""
    settings = start.settings
    if found := find_own_exposure(settings, start.file):
        raise ConfigError(str(found))
    with _state_folder(settings.state), Store.open(settings.state / FILE_NAME) as store:
        gateway = client.create(start.token, settings.discord_api)
        channels = _channels(gateway, store)
        running = _running_bot(start, store, channels)
        discord = _discord_side(running, gateway, channels)
        _listen(running, discord)
        slash = await _slash_commands(running, discord, Sessions(environment_of(start.claude_environment)))
        async with (
            client.connected(gateway, slash),
            _local_api(start, running, discord),
            running.conversations.open(),
        ):
            _clean_up_leftovers(running)
            discord.ready.set()
            async with _in_background(*_background_work(running, discord)):
                yield running


def _channels(gateway: hikari.GatewayBot, store: Store) -> OpenChannel:
    limits = RateLimits()
    return lambda channel: ThreadChannel.open(gateway.rest, channel, store, limits)


def _running_bot(start: Start, store: Store, channels: OpenChannel) -> RunningBot:
    """Create the parts that do the work; nothing is started yet."""
    settings = start.settings
    host = LocalHost(
        command=settings.claude.command,
        runs=settings.state / "runs",
        address_file=settings.state / owner_protocol.ADDRESS_FILE,
        patience=settings.claude.patience_minutes * 60,
        secrets=frozenset({start.token}),
        extra_environment=start.claude_environment,
        kept=dict(start.kept),
    )
    projects = Projects(settings, store, partial(own_files, file=start.file))
    worktrees = Worktrees(settings.state / "worktrees", store, projects)
    desk = Desk(store)
    files = RequestFiles(host, projects)
    conversations = Conversations(Ports(host, store, desk, files, worktrees.prepare), projects, store, channels)
    worktrees.in_use = conversations.in_use
    reload = None
    if start.file is not None:
        reload = ConfigReload(start.file, projects, conversations.settings_changed, store.record)
    return RunningBot(store, host, projects, worktrees, desk, files, conversations, reload)


def _discord_side(running: RunningBot, gateway: hikari.GatewayBot, channels: OpenChannel) -> _DiscordSide:
    """Create the parts that people in Discord see."""
    store, projects, conversations = running.store, running.projects, running.conversations
    lookup = ProjectLookup(gateway, projects, store)
    threads = Threads(gateway, lookup, conversations, projects.settings.state)
    panel = Panel(channels, projects, conversations, threads, running.worktrees, store)
    card = ConfigChangeCard(channels, projects, running.config_reload, store) if running.config_reload else None
    return _DiscordSide(gateway, lookup, threads, panel, card, asyncio.Event())


def _listen(running: RunningBot, discord: _DiscordSide) -> None:
    """Subscribe to messages, message changes, buttons, menus and forms."""
    store, projects, conversations, desk = running.store, running.projects, running.conversations, running.desk
    gateway, lookup, threads, ready = discord.gateway, discord.lookup, discord.threads, discord.ready
    card_answers = CardAnswers(projects, store, desk, Rulebook(store), running.files.read_again)
    transcriber = Transcriber(projects, environment(running.host.secrets))
    messages = IncomingMessages(gateway, lookup, conversations, threads, card_answers, store, transcriber)
    worktree_cards = WorktreeCards(gateway, conversations, projects, running.worktrees, store)
    card_buttons = CardButtons(card_answers, conversations, desk, store)
    handlers = {
        "ask": card_buttons.answer,
        "all": card_buttons.allow_all,
        REMOVE: card_buttons.remove_rule,
        "wish": QueueButtons(conversations, store).answer,
        "wish:about": AskAboutForm(gateway, lookup, threads).answer,
        "worktree": worktree_cards.answer,
        "panel": discord.panel.answer,
    }
    if discord.configuration_card is not None:
        handlers["configuration"] = discord.configuration_card.answer
    InteractionRouter(gateway, ready, handlers).subscribe()
    Inbox(gateway, projects, store, messages.take, ready).subscribe()
    MessageChanges(gateway, projects, conversations, desk, store, ready, worktree_cards.archived).subscribe()


async def _slash_commands(running: RunningBot, discord: _DiscordSide, history: SessionHistory) -> lightbulb.Client:
    """Create the slash commands; each gets the parts that it needs by their types."""
    slash = lightbulb.client_from_app(discord.gateway, hooks=[commands.check_access])
    registry = slash.di.registry_for(lightbulb.di.Contexts.DEFAULT)
    registry.register_value(hikari.GatewayBot, discord.gateway)
    registry.register_value(ProjectLookup, discord.lookup)
    registry.register_value(Threads, discord.threads)
    registry.register_value(Conversations, running.conversations)
    registry.register_value(Projects, running.projects)
    registry.register_value(Worktrees, running.worktrees)
    registry.register_value(SessionHistory, history)  # type: ignore[type-abstract]  # a Protocol
    await commands.register_commands(slash, running.store)
    return slash


@asynccontextmanager
async def _local_api(start: Start, running: RunningBot, discord: _DiscordSide) -> AsyncIterator[None]:
    """Answer `permission_mcp` and the owner at the terminal inside the block."""
    settings = start.settings
    port = settings.port if start.port is None else start.port
    threads = SayThreads(discord.gateway, discord.threads)
    owner_commands = OwnerCommands(running.projects, running.conversations, threads, start.leave, running.config_reload)
    with tokens.owner_token(settings.state / owner_protocol.TOKEN_FILE) as token:
        routes = [
            *permission_routes.routes(running.conversations),
            *owner_routes.routes(owner_commands, token),
            health.route(owner_commands.health),
        ]
        async with server.serve(routes, running.host.address_file, port):
            yield


def _clean_up_leftovers(running: RunningBot) -> None:
    """End the processes that no conversation has adopted, and log the worktrees that belong to no thread."""
    awake = running.conversations.awake()
    running.host.let_go(frozenset(run.id for known in awake for run in running.store.live_runs(known.id)))
    for orphan in running.worktrees.orphans():
        log.warning("The worktree %s no longer belongs to a thread. Nothing in it was deleted.", orphan.path)


def _background_work(running: RunningBot, discord: _DiscordSide) -> Iterator[Coroutine[None, None, None]]:
    """Yield everything that runs in the background until the bot stops."""
    settings = running.projects.settings
    unanswered = UnansweredRequests(
        running.conversations.channel, running.projects.in_thread, running.store, running.desk
    )
    running.desk.listeners.append(unanswered.ticket_changed)
    yield unanswered.watch()
    yield Retention(running.store, settings.state, settings.keep_days).keep()
    yield discord.panel.run()
    yield discord.panel.start_configured()
    yield client.until_closed(discord.gateway)
    if running.config_reload is not None:
        yield running.config_reload.watch()
    if discord.configuration_card is not None:
        yield discord.configuration_card.run()


@asynccontextmanager
async def _in_background(*work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run these coroutines in the background inside the block."""
    async with asyncio.TaskGroup() as tasks:
        background = [tasks.create_task(each) for each in work]
        try:
            yield
        finally:
            for task in background:
                task.cancel()


@contextmanager
def _state_folder(path: Path) -> Iterator[None]:
    """Lock the state folder inside the block; a process that dies releases the lock."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
        descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateError(
            f"The state folder {path} can't be used: {error.strerror}. Choose another one with `state`."
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError(
                f"Another claude-discord already uses {path}. Stop that one, or give this one its own `state` folder."
            ) from None
        yield
    finally:
        os.close(descriptor)
