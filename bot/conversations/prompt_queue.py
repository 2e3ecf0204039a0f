"""The queue of prompts of a conversation. Each queued prompt has a note below its message."""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from bot.message_names import HELD_NOTE, QUEUE_NOTE
from bot.ports import Channel, ConversationStore
from bot.records import HELD, Prompt
from bot.render.queue_notes import held_note, queue_note

LONGEST_WAIT = 3600.0
"""Longest wait before the clock is checked again: it may have been changed, or the machine may have slept."""


class PromptQueue:
    """The prompts that Claude has not started on, oldest first; also kept in the store."""

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
        """Whether a prompt can run now, rather than on hold or scheduled for later."""
        return any(prompt.after <= self._clock() for prompt in self._prompts)

    def seconds_until_due(self) -> float | None:
        """Return how many seconds to wait for the next scheduled prompt; None if none is scheduled."""
        now = self._clock()
        later = [prompt.after - now for prompt in self._prompts if now < prompt.after < HELD]
        return min(*later, LONGEST_WAIT) if later else None

    def add(self, prompt: Prompt, *, busy: bool) -> bool:
        """Add a prompt, with a note unless it runs right away; return False if it was added before."""
        if not self._store.add_prompt(prompt):
            return False
        must_wait = busy or self.due or prompt.after > self._clock()
        later = sum(queued.id > prompt.id for queued in self._prompts)  # a missed message can arrive after newer ones
        self._prompts.insert(len(self._prompts) - later, prompt)
        if must_wait:
            self._show_note(prompt)
        if prompt.after == HELD:  # it was written before a stop that arrived first
            self.update_hold_note()
        return True

    def take(self) -> Prompt:
        """Remove and return the next prompt that can run."""
        now = self._clock()
        prompt = next(prompt for prompt in self._prompts if prompt.after <= now)
        return self._remove(prompt)

    def put_back(self, prompt: Prompt) -> None:
        """Put a prompt that was taken but did not run at the front of the queue."""
        self._prompts.appendleft(replace(prompt, state="queued"))

    def claim(self, number: int | None) -> Prompt | None:
        """Remove and return the prompt that an earlier bot sent before it could remove the note."""
        prompt = self._find(number)
        return None if prompt is None else self._remove(prompt)

    def cancel(self, number: int) -> bool:
        """Cancel a queued prompt; return False if it is no longer queued."""
        prompt = self._find(number)
        if prompt is None:
            return False
        self._store.set_prompt(number, "dropped")
        self._remove(prompt)
        return True

    def edit(self, number: int, text: str) -> bool:
        """Change the text of a queued prompt; return False if it is no longer queued."""
        prompt = self._find(number)
        if prompt is None:
            return False
        if prompt.text != text:
            edited = replace(prompt, text=text)
            self._replace(prompt, edited)
            self._store.revise_prompt(number, text)
            self._show_note(edited, edited=True)
        return True

    def run_next(self, numbers: Collection[int]) -> bool:
        """Move these prompts to the front, in their order; return False if none of them is still queued."""
        found = [prompt for prompt in self._prompts if prompt.id in numbers]
        if not found:
            return False
        self._store.schedule([prompt.id for prompt in found], 0.0)  # all or none, even if the bot is killed here
        for prompt in reversed(found):
            self._prompts.remove(prompt)
            self._prompts.appendleft(replace(prompt, after=0.0))
        for prompt in self._prompts if len(found) > 1 else ():
            if prompt.id in numbers:
                self._show_note(prompt)
        self.update_hold_note()
        return True

    @property
    def held(self) -> tuple[Prompt, ...]:
        """The prompts that a stop has put on hold."""
        return tuple(prompt for prompt in self._prompts if prompt.after == HELD)

    def hold(self, since: float = math.inf) -> None:
        """Put the prompts that could run now on hold, except those written at `since` or later.

        Scheduled prompts still run at their time, as their notes say.
        """
        found = [prompt for prompt in self._prompts if prompt.after <= self._clock() and prompt.at < since]
        self._store.schedule([prompt.id for prompt in found], HELD)  # all or none, even if the bot is killed here
        for prompt in found:
            held = replace(prompt, after=HELD)
            self._replace(prompt, held)
            self._show_note(held)
        self.update_hold_note()

    def update_hold_note(self) -> None:
        """Show how many prompts are on hold, with buttons; remove the note if there are none."""
        count = len(self.held)
        self._channel.show(
            HELD_NOTE.of(self._conversation), lambda: [held_note(self._conversation, count)] if count else []
        )

    @property
    def note_views(self) -> set[str]:
        """The views of all notes that should be shown now."""
        return {HELD_NOTE.of(self._conversation), *(QUEUE_NOTE.of(prompt.id) for prompt in self._prompts)}

    def _find(self, number: int | None) -> Prompt | None:
        return next((prompt for prompt in self._prompts if prompt.id == number), None)

    def _remove(self, prompt: Prompt) -> Prompt:
        self._prompts.remove(prompt)
        self._channel.show(QUEUE_NOTE.of(prompt.id), list)
        if prompt.after == HELD:
            self.update_hold_note()
        return prompt

    def _replace(self, old: Prompt, new: Prompt) -> None:
        self._prompts[self._prompts.index(old)] = new

    def _show_note(self, prompt: Prompt, *, edited: bool = False) -> None:
        now = self._clock()
        self._channel.show(QUEUE_NOTE.of(prompt.id), lambda: [queue_note(prompt, now, edited=edited)])
