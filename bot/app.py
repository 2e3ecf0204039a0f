"""The whole bot, put together: from a checked configuration to the last process gone."""

import asyncio
import fcntl
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import hikari
import lightbulb

from bot import local_api, restart, systemd
from bot.claude.environment import environment
from bot.claude.local_host import LocalHost
from bot.claude.session_files import Sessions, environment_of
from bot.config import Settings
from bot.conversations.conversations import Conversations
from bot.conversations.overview import ProjectCounts
from bot.decisions.card_answers import CardAnswers
from bot.decisions.rulebook import Rulebook
from bot.decisions.unanswered_requests import UnansweredRequests
from bot.discord import client, commands
from bot.discord.command_line_threads import CommandLineThreads
from bot.discord.configuration_card import ConfigurationCard
from bot.discord.incoming.inbox import Inbox
from bot.discord.incoming.message_changes import MessageChanges
from bot.discord.incoming.messages import IncomingMessages
from bot.discord.interactions.card_buttons import CardButtons
from bot.discord.interactions.question_form import QuestionForm
from bot.discord.interactions.queue_buttons import QueueButtons
from bot.discord.interactions.router import InteractionRouter
from bot.discord.interactions.worktree_buttons import WorktreeCards
from bot.discord.outgoing.rate_limits import RateLimits
from bot.discord.outgoing.thread_channel import ThreadChannel
from bot.discord.panel import Panel
from bot.discord.threads import Threads
from bot.errors import ConfigError, StateError
from bot.local_api import owner_protocol
from bot.local_api.owner_commands import OwnerCommands
from bot.ports import Channel
from bot.projects.config_reload import ConfigReload
from bot.projects.projects import Projects
from bot.projects.worktrees import Worktrees
from bot.retention import Retention
from bot.setup.own_files import own_files, within_reach
from bot.store import FILE_NAME, Store
from bot.transcript.session_history import SessionHistory

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """All that a bot needs to start."""

    settings: Settings
    token: str = field(repr=False)
    claude_environment: Mapping[str, str] = field(default_factory=dict)
    """What Claude is given beside the user's own environment: the sandbox's and the tests' doing."""
    kept: Mapping[str, int] = field(default_factory=dict)
    """The stdin of each run that the bot before a restart left running."""
    leave: Callable[[], None] | None = None
    """Has the next bot take this one's place; None where it can't."""
    file: Path | None = None
    """Where the settings come from: it is watched for changes."""
    port: int | None = None
    """The endpoint's, where the command line names one."""


async def run(start: Start) -> None:
    """Serve until Ctrl-C, SIGTERM or a closed terminal, which may come while the bot is still logging in."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup lets it outlive its terminal
            loop.add_signal_handler(number, stop.set)
    leaving = asyncio.Event()
    life = asyncio.create_task(_live(replace(start, kept=restart.taken(), leave=leaving.set), leaving))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({life, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not life.done():
        log.info("Stopping: Claude's processes are brought to their end.")
        systemd.tell("STOPPING=1")
    stopping.cancel()
    life.cancel()
    with suppress(asyncio.CancelledError):
        await life


async def _live(start: Start, leaving: asyncio.Event) -> None:
    async with serving(start) as conversations:
        log.info("Ready. Claude listens in %s channel(s); Ctrl-C stops.", len(start.settings.channels))
        systemd.tell("READY=1")
        await leaving.wait()
        await restart.make_way(conversations)


@asynccontextmanager
async def serving(start: Start) -> AsyncIterator[Conversations]:
    """Be connected to Discord and answer Claude's requests inside the block."""
    settings = start.settings
    if found := within_reach(settings, start.file):
        raise ConfigError(str(found))
    async with AsyncExitStack() as stack:
        stack.enter_context(_state_folder(settings.state))
        store = stack.enter_context(Store.open(settings.state / FILE_NAME))
        bot = client.create(start.token, settings.discord_api)
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
        limits = RateLimits()

        def open_channel(channel: int) -> AbstractAsyncContextManager[Channel]:
            return ThreadChannel.open(bot.rest, channel, store, limits)

        conversations = Conversations(
            projects,
            store,
            host,
            open_channel,
            worktrees.prepare,
        )
        rulebook = Rulebook(store)
        card_answers = CardAnswers(projects, store, conversations.desk, rulebook, conversations.files.of_ticket)
        threads = Threads(bot, conversations)
        messages = IncomingMessages(bot, conversations, card_answers, threads, environment(host.secrets))
        worktrees.in_use = conversations.in_use
        worktree_cards = WorktreeCards(bot, conversations, worktrees)
        panel = Panel(open_channel, conversations, threads, worktrees, store)
        card_buttons = CardButtons(conversations, card_answers)
        handlers = {
            "ask": card_buttons.answer,
            "all": card_buttons.answer,
            "rule": card_buttons.answer,
            "wish": QueueButtons(conversations).answer,
            "wish:about": QuestionForm(bot, threads).answer,
            "worktree": worktree_cards.answer,
            "panel": panel.answer,
        }
        reloading: ConfigReload | None = None
        if start.file is not None:
            reloading = ConfigReload(start.file, conversations, store.record)
            configuration_card = ConfigurationCard(open_channel, conversations, reloading, store)
            handlers["configuration"] = configuration_card.answer
        ready = asyncio.Event()
        InteractionRouter(bot, ready, handlers).subscribe()
        Inbox(bot, conversations, store, messages.take, ready).subscribe()
        MessageChanges(bot, conversations, ready, worktree_cards.archived).subscribe()
        slash = await _commands(bot, conversations, threads, Sessions(environment_of(start.claude_environment)))
        registry = slash.di.registry_for(lightbulb.di.Contexts.DEFAULT)
        registry.register_value(Worktrees, worktrees)
        registry.register_value(ProjectCounts, store)  # type: ignore[type-abstract]  # a Protocol
        await stack.enter_async_context(client.connected(bot, slash))
        owner_commands = OwnerCommands(conversations, CommandLineThreads(bot, threads), start.leave, reloading)
        await stack.enter_async_context(_local_api(start, conversations, owner_commands, host.address_file))
        await stack.enter_async_context(conversations.open())
        host.let_go(frozenset(run.id for known in conversations.awake() for run in store.live_runs(known.id)))
        if reloading is not None:
            await stack.enter_async_context(_following(reloading, configuration_card))
        unanswered = UnansweredRequests(conversations.channel, projects.in_thread, store, conversations.desk)
        conversations.desk.listeners.append(unanswered.ticket_changed)
        retention = Retention(store, settings.state, settings.keep_days)
        for orphan in worktrees.orphans():
            log.warning("The worktree %s belongs to no thread any more; nothing in it was deleted.", orphan.path)
        ready.set()
        for work in (unanswered.watch(), retention.keep(), panel.keep(), panel.start_up(), client.until_closed(bot)):
            await stack.enter_async_context(_beside(work))
        yield conversations


@asynccontextmanager
async def _local_api(
    start: Start, conversations: Conversations, owner_commands: OwnerCommands, address_file: Path
) -> AsyncIterator[None]:
    """Answer `permission_mcp` and the owner at the terminal inside the block."""
    settings = start.settings
    port = settings.port if start.port is None else start.port
    with local_api.owner_token(settings.state / owner_protocol.TOKEN_FILE) as token:
        routes = [
            *local_api.permission_routes.routes(conversations),
            *local_api.owner_routes.routes(owner_commands, token),
        ]
        async with local_api.serve(routes, address_file, port):
            yield


@asynccontextmanager
async def _following(reloading: ConfigReload, card: ConfigurationCard) -> AsyncIterator[None]:
    """Follow the file's changes inside the block; what waits for an owner is shown."""
    async with _beside(reloading.watch()), _beside(card.keep()):
        yield


async def _commands(
    bot: hikari.GatewayBot, conversations: Conversations, threads: Threads, history: SessionHistory
) -> lightbulb.Client:
    slash = lightbulb.client_from_app(bot, hooks=[commands.only_allowed])
    registry = slash.di.registry_for(lightbulb.di.Contexts.DEFAULT)
    registry.register_value(Conversations, conversations)
    registry.register_value(Threads, threads)
    registry.register_value(hikari.GatewayBot, bot)
    registry.register_value(SessionHistory, history)  # type: ignore[type-abstract]  # a Protocol
    await commands.add_to(slash)
    return slash


@asynccontextmanager
async def _beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Have something going on for as long as the block lasts."""
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(work)
        try:
            yield
        finally:
            task.cancel()


@contextmanager
def _state_folder(path: Path) -> Iterator[None]:
    """Hold the state folder alone; the lock dies with its holder."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
        descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateError(
            f"The state folder {path} can't be used: {error.strerror}. Name another with `state`."
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
