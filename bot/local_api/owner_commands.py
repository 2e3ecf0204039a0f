"""The owner's commands from the terminal; the owner routes call them."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from bot import restart
from bot.config import Project
from bot.conversations.conversation import Conversation
from bot.conversations.conversations import Conversations
from bot.conversations.prompt_status import PromptStatus
from bot.errors import NotDone
from bot.local_api.owner_protocol import (
    Health,
    PromptProgress,
    ReloadAnswer,
    RestartAnswer,
    SayAnswer,
    SessionInfo,
    SettingChange,
    StoppedSession,
)
from bot.projects.config_diff_text import format_value
from bot.projects.config_reload import ConfigReload
from bot.projects.projects import PendingConfig, Projects
from bot.records import Prompt

TERMINAL = "someone at the terminal"


class DiscordThreads(Protocol):
    """What the commands need from Discord."""

    @property
    def connected(self) -> bool: ...
    async def begin(self, project: Project, text: str) -> tuple[Conversation, Prompt]:
        """Open a thread and post the prompt in it."""


@dataclass(slots=True)
class OwnerCommands:
    """Carries out the owner's commands."""

    projects: Projects
    conversations: Conversations
    threads: DiscordThreads
    leave: Callable[[], None] | None = None
    """Hands over to the next bot; None if that isn't possible."""
    reloading: ConfigReload | None = None
    boot: str = field(default_factory=lambda: secrets.token_hex(8))

    def health(self) -> Health:
        connected = self.threads.connected
        return Health(ok=connected, boot=self.boot, discord=connected)

    def sessions(self) -> list[SessionInfo]:
        found = [session(conversation) for conversation in self.conversations.awake()]
        return sorted(found, key=lambda each: (each.project, each.thread))

    async def say(self, project: str, text: str) -> SayAnswer:
        """Open a thread and give Claude the prompt."""
        known = self.projects.settings.projects
        if project not in known:
            raise NotDone(f"There is no project {project}. Choose one of: {', '.join(sorted(known))}.")
        if not text.strip():
            raise NotDone("The prompt is empty. Say what Claude should do.")
        conversation, prompt = await self.threads.begin(known[project], text)
        conversation.say(prompt)
        return SayAnswer(thread=conversation.id, prompt=prompt.id, title=conversation.status().title)

    async def follow(self, thread: int, prompt: int) -> AsyncIterator[PromptProgress]:
        """Yield the progress of a prompt until it ends."""
        conversation = await self.conversations.find(thread)
        if conversation is None:
            raise NotDone("That conversation no longer exists.")
        told, waiting = FollowedText(), tuple[str, ...]()
        async for watched in conversation.watch(prompt):
            fresh = told.fresh(watched)
            asked = conversation.status().waiting_tools
            if watched.turn and (fresh or asked != waiting):
                waiting = asked
                yield PromptProgress(text=fresh, waits_for=asked)
            if watched.outcome is not None:
                yield PromptProgress(outcome=watched.outcome.how, why=watched.outcome.why)

    async def stop(self, name: str) -> list[StoppedSession]:
        """Interrupt one session, or every session of a project."""
        matches = self._find_conversations(name)
        sentences = await asyncio.gather(*(conversation.stop(TERMINAL) for conversation in matches))
        return [
            StoppedSession(session=session(conversation), sentence=sentence)
            for conversation, sentence in zip(matches, sentences, strict=True)
        ]

    async def reload(self, take: str) -> ReloadAnswer:
        """Read the configuration; apply the waiting change if `take` names it."""
        if self.reloading is None:
            raise NotDone("This bot was started without a configuration file.")
        if take:
            return _reload_answer(await self.reloading.take_over(take, None, "command"), taken=True)
        await self.reloading.look()
        if refused := self.projects.refused:
            raise NotDone(refused)
        return _reload_answer(self.reloading.pending, taken=False)

    async def may_restart(self) -> RestartAnswer:
        """Check that the next bot can start, and say what keeps running."""
        if self.leave is None:
            raise NotDone("This bot runs inside another program and can't restart itself. Restart that program.")
        await restart.check()
        if self.reloading is not None:
            await self.reloading.look()
        return RestartAnswer(
            boot=self.boot,
            kept=sum(c.status().process is not None for c in self.conversations.awake()),
            waiting=len(pending.differences) if (pending := self.projects.pending) else 0,
        )

    def restart(self) -> None:
        if self.leave is not None:
            self.leave()

    def _find_conversations(self, name: str) -> list[Conversation]:
        awake = self.conversations.awake()
        if name in self.projects.settings.projects:
            inside = [c for c in awake if (now := c.status()).project.name == name and now.stoppable]
            if not inside:
                raise NotDone(f"Nothing is running in {name}.")
            return inside
        wanted = name.casefold()
        for fits in (
            lambda c: str(c.id) == name,
            lambda c: c.status().title.casefold() == wanted,
            lambda c: wanted in c.status().title.casefold(),
        ):
            found = [conversation for conversation in awake if fits(conversation)]
            if len(found) == 1:
                return found
            if found:
                which = "; ".join(f"{c.id} ({c.status().title})" for c in found)
                raise NotDone(f"Several sessions match {name}: {which}. Pass the number of one of them.")
        raise NotDone(f"No session matches {name}. `claude-discord sessions` lists them.")


def _reload_answer(pending: PendingConfig | None, *, taken: bool) -> ReloadAnswer:
    if pending is None:
        return ReloadAnswer()
    changes = tuple(
        SettingChange(
            setting=each.name, before=format_value(each.before), after=format_value(each.after), loosens=each.loosens
        )
        for each in pending.differences
    )
    return ReloadAnswer(name=pending.name, changes=changes, taken=taken)


def session(conversation: Conversation) -> SessionInfo:
    """Describe a conversation."""
    now = conversation.status()
    return SessionInfo(
        thread=now.thread,
        project=now.project.name,
        title=now.title,
        doing=now.doing,
        since=now.since,
        waits_for=now.waiting_tools,
        queued=now.queued,
        process=now.process,
        session=now.session,
    )


@dataclass(slots=True)
class FollowedText:
    """Keeps track of how much of a turn's text was sent."""

    turn: str = ""
    texts: dict[int, str] = field(default_factory=dict)

    def fresh(self, watched: PromptStatus) -> str:
        """Return the text that is new since the last call; repeat a replaced text completely."""
        if watched.turn != self.turn:
            self.turn = watched.turn
            self.texts.clear()
        return "".join(self._fresh(watched))

    def _fresh(self, watched: PromptStatus) -> Iterator[str]:
        for number, now in enumerate(watched.texts):
            before = self.texts.get(number, "")
            if now == before:
                continue
            self.texts[number] = now
            if not before and number:
                yield "\n\n"
            yield now[len(before) :] if now.startswith(before) else f"\n{now}"
