"""The prompts that wait for their turn, each with a note below its message that says so."""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from bot.message_names import HELD_NOTE, QUEUE_NOTE
from bot.ports import Channel, ConversationStore
from bot.records import HELD, Prompt
from bot.render.queue_notes import held_note, queue_note

LONGEST_WAIT = 3600.0
"""Seconds after which the clock is looked at again: it may have been set, or the machine may have slept."""


class PromptQueue:
    """What people have said and Claude has not taken yet, oldest first; kept in the store."""

    def __init__(
        self, conversation: int, store: ConversationStore, channel: Channel, clock: Callable[[], float]
    ) -> None:
        self._conversation = conversation
        self._store = store
        self._channel = channel
        self._clock = clock
        self._prompts = deque(store.waiting_prompts(conversation))

    def __len__(self) -> int:
        return len(self._prompts)

    def __iter__(self) -> Iterator[Prompt]:
        return iter(self._prompts)

    @property
    def due(self) -> bool:
        """Whether one could run now; another may be put off until a time."""
        return any(prompt.after <= self._clock() for prompt in self._prompts)

    def until_due(self) -> float | None:
        """Seconds until the next one that was put off can run; None when there is none."""
        now = self._clock()
        later = [prompt.after - now for prompt in self._prompts if now < prompt.after < HELD]
        return min(*later, LONGEST_WAIT) if later else None

    def add(self, prompt: Prompt, *, busy: bool) -> bool:
        """Take a prompt, and say that it waits if it does; False if this message is known already."""
        if not self._store.add_prompt(prompt):
            return False
        waits = busy or self.due or prompt.after > self._clock()
        later = sum(waiting.id > prompt.id for waiting in self._prompts)  # one that was missed comes after newer ones
        self._prompts.insert(len(self._prompts) - later, prompt)
        if waits:
            self._note(prompt)
        if prompt.after == HELD:  # it was written before a stop that was heard first
            self.show_held()
        return True

    def take(self) -> Prompt:
        """Give the next one that can run; its note goes away."""
        now = self._clock()
        prompt = next(prompt for prompt in self._prompts if prompt.after <= now)
        return self._remove(prompt)

    def put_back(self, prompt: Prompt) -> None:
        """Have one run next that was taken and did not run."""
        self._prompts.appendleft(replace(prompt, state="queued"))

    def claim(self, number: int | None) -> Prompt | None:
        """Give the one that an earlier bot had already sent; its note goes away, if that bot did not see to it."""
        prompt = self._find(number)
        return None if prompt is None else self._remove(prompt)

    def drop(self, number: int) -> bool:
        """Take one back; False if it does not wait any more."""
        prompt = self._find(number)
        if prompt is None:
            return False
        self._store.set_prompt(number, "dropped")
        self._remove(prompt)
        return True

    def revise(self, number: int, text: str) -> bool:
        """Have one run with other words; False if it does not wait any more."""
        prompt = self._find(number)
        if prompt is None:
            return False
        if prompt.text != text:
            revised = replace(prompt, text=text)
            self._replace(prompt, revised)
            self._store.revise_prompt(number, text)
            self._note(revised, edited=True)
        return True

    def hurry(self, numbers: Collection[int]) -> bool:
        """Have these run next, in their order; False if none of them waits any more."""
        found = [prompt for prompt in self._prompts if prompt.id in numbers]
        if not found:
            return False
        self._store.put_off([prompt.id for prompt in found], 0.0)  # all or none, also if the bot is killed just now
        for prompt in reversed(found):
            self._prompts.remove(prompt)
            self._prompts.appendleft(replace(prompt, after=0.0))
        for prompt in self._prompts if len(found) > 1 else ():
            if prompt.id in numbers:
                self._note(prompt)
        self.show_held()
        return True

    @property
    def held(self) -> tuple[Prompt, ...]:
        """Those that a stop has put on hold."""
        return tuple(prompt for prompt in self._prompts if prompt.after == HELD)

    def hold(self, since: float = math.inf) -> None:
        """Put on hold what would run next, but for what was written later than `since`.

        What was put off until a time runs then, as its note says.
        """
        found = [prompt for prompt in self._prompts if prompt.after <= self._clock() and prompt.at < since]
        self._store.put_off([prompt.id for prompt in found], HELD)  # all or none, also if the bot is killed just now
        for prompt in found:
            held = replace(prompt, after=HELD)
            self._replace(prompt, held)
            self._note(held)
        self.show_held()

    def show_held(self) -> None:
        """Say how many are on hold, with what can be done about them; nothing where none is."""
        count = len(self.held)
        self._channel.show(
            HELD_NOTE.of(self._conversation), lambda: [held_note(self._conversation, count)] if count else []
        )

    @property
    def views(self) -> set[str]:
        """The views in which notes may rightly stand."""
        return {HELD_NOTE.of(self._conversation), *(QUEUE_NOTE.of(prompt.id) for prompt in self._prompts)}

    def _find(self, number: int | None) -> Prompt | None:
        return next((prompt for prompt in self._prompts if prompt.id == number), None)

    def _remove(self, prompt: Prompt) -> Prompt:
        self._prompts.remove(prompt)
        self._channel.show(QUEUE_NOTE.of(prompt.id), list)
        if prompt.after == HELD:
            self.show_held()
        return prompt

    def _replace(self, old: Prompt, new: Prompt) -> None:
        self._prompts[self._prompts.index(old)] = new

    def _note(self, prompt: Prompt, *, edited: bool = False) -> None:
        now = self._clock()
        self._channel.show(QUEUE_NOTE.of(prompt.id), lambda: [queue_note(prompt, now, edited=edited)])
