"""A house to live in: the sandbox's Discord, the bot, and a `claude` in a project folder."""

import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot import config
from bot.app import Start, serving
from bot.conversations.conversations import Conversations
from sandbox.discord import Channel, Discord, Message, Person
from sandbox.discord.waiting import until
from tests.sandbox_discord.workshop import Workshop

SCRIPTED = (sys.executable, "-P", "-m", "sandbox.claude")


@dataclass
class House:
    """Everything around a conversation; the bot comes and goes inside `bot()`."""

    workshop: Workshop
    root: Path
    command: tuple[str, ...]
    environment: Mapping[str, str]
    settings: dict[str, Any] = field(default_factory=dict)
    project_settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True, exist_ok=True)

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def discord(self) -> Discord:
        return self.workshop.discord

    @property
    def ada(self) -> Person:
        return self.workshop.ada

    @property
    def channel(self) -> Channel:
        return self.workshop.channel

    def start(self) -> Start:
        raw = {
            "people": {"roles": [self.workshop.makers.id]},
            "claude": {"command": list(self.command)},
            "projects": {"demo": self._project()},
            "state": str(self.state),
            "discord_api": self.discord.rest_url,
        }
        settings = config.check(raw | self.settings, base=self.root, source="the test's settings")
        return Start(settings, self.discord.token, self.environment)

    def _project(self) -> dict[str, Any]:
        return {"folder": str(self.project), "channels": [self.channel.id]} | self.project_settings

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Conversations]:
        """Have the bot running inside the block."""
        async with serving(self.start()) as conversations:
            yield conversations

    async def say(self, text: str) -> Channel:
        """Write in the channel, and give the thread that opens."""
        message = await self.ada.write(self.channel, text)
        return await until(self.discord.world, lambda: message.thread, 20, lambda: "No thread was opened.")

    async def card(self, thread: Channel, heading: str, *, person: Person | None = None) -> Message:
        """Wait for an open card whose text contains the heading; the card for all of them repeats every one's text."""

        def fits(message: Message) -> bool:
            text = shown(message)
            return heading in text and bool(buttons(message)) and ("at once?" in heading or "at once?" not in text)

        return await (person or self.ada).sees(thread, fits, within=20)

    async def becomes(self, message: Message, text: str) -> None:
        """Wait until a message says this."""
        await self.ada.sees(message.channel, lambda seen: seen is message and text in shown(seen), within=20)

    async def done(self, thread: Channel, count: int = 1) -> None:
        """Wait until so many turns have come to their end: each has a footer."""
        seen = lambda: sum(len(FOOTER.findall(shown(m))) for m in self.ada.messages(thread))  # noqa: E731
        await self.ada.sees(thread, lambda _: seen() >= count, within=30)

    def text(self, thread: Channel) -> str:
        """All that stands in the thread, from top to bottom."""
        return "\n".join(shown(message) for message in self.ada.messages(thread))


FOOTER = re.compile(r"^-# (?:✓|✗|■|⏹)?.*\b\d+(?:\.\d+)? ?(?:ms|s)\b.*$", re.MULTILINE)


def shown(message: Message) -> str:
    """The words of a message, those on its card included."""
    parts = [message.content]

    def walk(components: list[Any]) -> None:
        for component in components:
            parts.append(component.get("content") or component.get("label") or "")
            walk(component.get("components", []))

    walk(message.components)
    return "\n".join(part for part in parts if part)


def buttons(message: Message) -> list[str]:
    """The labels of the buttons that can be pressed."""
    found: list[str] = []

    def walk(components: list[Any]) -> None:
        for component in components:
            if component["type"] == 2 and not component.get("disabled"):
                found.append(component["label"])
            walk(component.get("components", []))

    walk(message.components)
    return found
