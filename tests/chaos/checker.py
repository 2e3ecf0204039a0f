"""Checks what must be true after a chaos run, however often the bot was killed; each breach is a sentence."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.chaos import chaos_script
from tests.chaos.prompt_authors import Story


@dataclass(frozen=True)
class Seen:
    """One of the bot's messages at the end of the run."""

    text: str
    buttons: tuple[str, ...]


@dataclass(frozen=True)
class Evidence:
    """Everything that a run leaves behind."""

    stories: Sequence[Story]
    threads: Sequence[Sequence[Seen]]
    """The messages in each story's thread, from top to bottom."""
    ledger: Sequence[str]
    """The prompts that the agents began and the tools that they ran."""
    processes: Sequence[str]
    """The processes that are alive after the last bot was stopped."""


def breaches(evidence: Evidence) -> list[str]:
    return [*_tools(evidence), *_prompts(evidence), *_texts(evidence), *_cards(evidence), *_left(evidence)]


def _tools(evidence: Evidence) -> Iterator[str]:
    ran = Counter(line.removeprefix("ran ") for line in evidence.ledger if line.startswith("ran "))
    tasks = [task for story in evidence.stories for task in story.tasks]
    wanted = {tool: task for task in tasks for tool in chaos_script.tools(task.kind, task.name)}
    for tool, times in ran.items():
        if tool not in wanted or not wanted[tool].allows:
            yield f"{tool} ran without an allow"
        if times > 1:
            yield f"the allow for {tool} was applied {times} times"
    for tool, task in wanted.items():
        if task.allows and tool not in ran:
            yield f"{tool} was allowed, and did not run"
    for story in evidence.stories:
        for name, wish in story.decided.items():
            if wish == "Allow" and name not in ran:
                yield f"the bot acknowledged an allow for {name}, and lost it"


def _prompts(evidence: Evidence) -> Iterator[str]:
    begun = Counter(line.removeprefix("begun ") for line in evidence.ledger if line.startswith("begun "))
    for story in evidence.stories:
        for task in story.tasks:
            if begun[task.name] != 1:
                yield f"the prompt {task.name} was begun {begun[task.name]} times"


def _texts(evidence: Evidence) -> Iterator[str]:
    for story, thread in zip(evidence.stories, evidence.threads, strict=True):
        whole = "\n".join(message.text for message in thread)
        wanted = [text for task in story.tasks for text in chaos_script.texts(task.kind, task.name)]
        places = []
        for text in wanted:
            found = [match.start() for match in re.finditer(re.escape(text), whole)]
            if len(found) != 1:
                yield f"{text} stands {len(found)} times in its thread"
            places += found[:1]
        if places != sorted(places):
            yield f"the texts of {story.tasks[0].name} are out of order"
        for task in story.tasks:
            if task.kind == "ask" and f"⟪end {task.name}⟫ in {'Green' if task.allows else 'Red'}" not in whole:
                yield f"the answer to the question of {task.name} did not reach Claude"
        if "Queued" in whole:
            yield f"a note of the queue is left in the thread of {story.tasks[0].name}"
        if "⚠️" in whole:
            yield f"the thread of {story.tasks[0].name} speaks of trouble"


def _cards(evidence: Evidence) -> Iterator[str]:
    for story, thread in zip(evidence.stories, evidence.threads, strict=True):
        for message in thread:
            if message.buttons:
                yield f"a dead button {message.buttons} is left in the thread of {story.tasks[0].name}"
        for name, of in ((task.name, task) for task in story.tasks):
            for tool in chaos_script.tools(of.kind, name):
                cards = [message for message in thread if f"ran {tool}" in message.text and "```" in message.text]
                if len(cards) > 1:
                    yield f"the card of {tool} stands {len(cards)} times"


def _left(evidence: Evidence) -> Iterator[str]:
    for process in evidence.processes:
        yield f"a process is left: {process}"
