"""The people of a chaos run: they write prompts, even while no bot runs, and press buttons."""

import asyncio
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sandbox.discord import Discord, DiscordChannel, DiscordMessage, DiscordPerson
from sandbox.discord.people.person_errors import PersonCannotError
from tests.chaos import chaos_script
from tests.fixtures.bot_setup import buttons, shown

NAMED = re.compile(r"\bran (c\d+p\d+[ab])\b|colour for (c\d+p\d+)\?")


@dataclass(frozen=True)
class Task:
    """One prompt, and how its author will answer its card."""

    conversation: int
    number: int
    kind: str
    allows: bool
    hurried: bool
    """Whether it is written without waiting for the end of the one before."""

    @property
    def name(self) -> str:
        return f"c{self.conversation}p{self.number}"

    @property
    def prompt(self) -> str:
        return f"Please {self.kind} {self.name}"


KINDS = ("tool", "two", "ask", "talk")


def plan(dice: random.Random, conversations: int, prompts: int, kinds: Sequence[str]) -> list[list[Task]]:
    """Make up everyone's tasks."""
    return [
        [
            Task(c, p, dice.choice(kinds), allows=dice.random() < 0.7, hurried=dice.random() < 0.3)
            for p in range(prompts)
        ]
        for c in range(conversations)
    ]


@dataclass
class Story:
    """One conversation from its person's view: what they wrote, where, and which clicks were answered."""

    tasks: list[Task]
    thread: DiscordChannel | None = None
    decided: dict[str, str] = field(default_factory=dict)
    """Decisions by clicks that the bot acknowledged: the tool or question -> the button or option."""


@dataclass
class Author:
    """A person with one conversation."""

    discord: Discord
    person: DiscordPerson
    channel: DiscordChannel
    story: Story
    dice: random.Random

    async def live(self) -> None:
        """Write all prompts, and answer all cards, until everything has been answered."""
        async with asyncio.TaskGroup() as tasks:
            pressing = tasks.create_task(self._press())
            await self._write()
            pressing.cancel()

    def text(self) -> str:
        thread = self.story.thread
        return "\n".join(shown(message) for message in self.person.messages(thread)) if thread else ""

    async def _write(self) -> None:
        first, *rest = self.story.tasks
        message = await self.person.write(self.channel, first.prompt)
        await self._until(lambda: message.thread is not None)
        self.story.thread = thread = message.thread
        assert thread is not None
        before = first
        for task in rest:
            if not task.hurried:
                await self._until(lambda before=before: f"⟪end {before.name}⟫" in self.text())
            await self.person.write(thread, task.prompt)
            before = task
        await self._until(lambda: all(f"⟪end {task.name}⟫" in self.text() for task in self.story.tasks))
        await self._until(lambda: not any(buttons(message) for message in self.person.messages(thread)))

    async def _press(self) -> None:
        """Press every button that can be pressed; pressing the same one again gives the same answer."""
        while True:
            await self._until(lambda: bool(self._open_cards()))
            for card in self._open_cards():
                await asyncio.sleep(self.dice.random() * 0.3)  # a person takes time
                await self._answer(card)
            await asyncio.sleep(0.1)

    def _open_cards(self) -> list[DiscordMessage]:
        thread = self.story.thread
        return [message for message in self.person.messages(thread) if buttons(message)] if thread else []

    async def _answer(self, card: DiscordMessage) -> None:
        named = NAMED.search(shown(card))
        if named is None:
            return
        name = named[1] or named[2]
        task = next(task for task in self.story.tasks if name.startswith(task.name) and name.rstrip("ab") == task.name)
        try:
            if named[2]:
                wish = "Green" if task.allows else "Red"
                answer = await self.person.select(card, "Colour", [f"{2 if task.allows else 1}. {wish}"])
            else:
                wish = "Allow" if task.allows else "Deny"
                answer = await self.person.click(card, wish)
        except PersonCannotError:  # the card has just changed
            return
        if not answer.failed:
            self.story.decided.setdefault(name, wish)

    async def _until(self, condition) -> None:
        with self.discord.world.subscribe() as changes:
            while not condition():
                await anext(changes)


def expected(story: Story) -> list[str]:
    return [text for task in story.tasks for text in chaos_script.texts(task.kind, task.name)]
