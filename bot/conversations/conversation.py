"""A conversation: what people and Claude can do in a Discord thread."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from bot.config import Choices
from bot.conversation_status import Doing, Status
from bot.conversations.agent import Agent, ChoiceResult
from bot.conversations.agent_state import Asleep, Ending, Starting
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.prompt_status import PromptStatus, never_shown, status_of
from bot.conversations.shown_turns import ShownTurn
from bot.conversations.tool_approval import RUN_IS_OVER, ToolApproval
from bot.conversations.warm_up import WarmUpReason
from bot.message_names import EDIT_NOTE, FILE
from bot.messages import Message
from bot.records import HELD, Prompt
from bot.render.queue_notes import held_sentence, late_edit_note
from bot.text.truncate import truncate
from shared.protocol import Allow, Deny, FileAnswer, FileRequest, Request

WATCH = 0.3
"""Seconds between two looks of somebody who follows a turn from the terminal."""
CAPTION = 1500
SENT = 30.0
"""Seconds in which Discord should have taken a file."""
HERE = "this machine"


class Conversation:
    """The face of a thread: everything that is done in it goes through these verbs, and `status` tells how it is."""

    def __init__(self, parts: ConversationParts, agent: Agent, approval: ToolApproval) -> None:
        self.id = parts.id
        self._agent = agent
        self._approval = approval
        self._session = parts.session
        self._queue = parts.queue
        self._turns = parts.turns
        self._thread = parts.thread
        self._ports = parts.ports
        self._changes = parts.changes
        self._edited: int | None = None
        """A prompt that was edited after Claude had read it."""
        self._stopped_at = 0.0
        """When somebody last said stop: what was written before that is on hold, whenever it is heard."""

    # What people say

    def say(self, prompt: Prompt) -> None:
        """Take a prompt: it runs now, or when those before it have; one from before a stop is on hold."""
        if prompt.at <= self._stopped_at:
            prompt = replace(prompt, after=HELD)
        if self._queue.add(prompt, busy=self._turns.turn is not None):
            self._withdraw_edit()
            self._turns.withhold_offers()
        self._changes.send()

    def unsay(self, *messages: int) -> bool:
        """Cancel the prompts that were said in these messages; False if none of them was still queued."""
        dropped = [self._queue.drop(message) for message in messages]
        self._queue.show_held()  # it may have been the note about them that somebody deleted
        return any(dropped)

    def revise(self, prompt: int, text: str) -> None:
        """Change a prompt's words: it runs with them, or if Claude has read the old ones, can be sent again."""
        if self._queue.revise(prompt, text):
            return
        last = self._ports.store.last_prompt(self.id)
        if last is None or last.id != prompt or last.text == text:
            return
        self._ports.store.revise_prompt(prompt, text)
        self._withdraw_edit()
        self._edited = prompt
        self._thread.channel.show(EDIT_NOTE.of(prompt), lambda: [late_edit_note(prompt)])

    async def hurry(self, *prompts: int, interrupt_as: str | None = None) -> bool:
        """Run queued prompts next, those on hold included; False if none of them is still queued.

        A turn that is going on is interrupted in somebody's name, or else comes to its end first.
        """
        if not self._queue.hurry(prompts):
            return False
        if interrupt_as is not None and self._turns.turn is not None:
            await self._interrupt(interrupt_as)
        self._changes.send()
        return True

    # How it goes on, and how it ends

    async def stop(self, who: str, at: float = math.inf) -> str:
        """Interrupt the turn; with none going on, or asked again, end the process. What is queued is put on hold.

        `at` is when it was said, as Discord tells it: a message from before it may be heard only later.
        """
        self._note_stop(at)
        if not self.status().stoppable:
            return "Nothing is running here."
        self._queue.hold()  # first: the interrupted turn's end would let the next one run
        held = held_sentence(len(self._queue.held))
        if self._agent.process is None:
            return f"Stopped before Claude had begun.{held} The session is kept: write to go on."
        if await self._interrupt(who):
            return f"Stopped.{held} The session is kept: write to go on, or `/stop` again to end Claude's process."
        await self._agent.halt()
        return f"Claude's process is ended.{held} The session is kept: write to go on."

    async def rest(self, reason: str, at: float = math.inf, *, since: float = math.inf) -> bool:
        """End the process for now; a prompt that was written later resumes the session. False if there was none."""
        if not self.status().stoppable:
            return False
        self._ports.desk.because(self.id, reason)
        if since == math.inf:  # to archive a thread is not to say stop: a message that comes then goes on
            self._note_stop(at)
            self._queue.hold(since)
        if self._agent.process is None:
            return True
        await self._agent.halt()
        await self._thread.channel.settled()
        return True

    async def renew(self, session: str | None = None) -> None:
        """Go on with another session, or with none: then the next prompt starts from nothing."""
        await self._agent.renew(session)

    async def close(self, reason: str) -> None:
        """Come to an end in order: what Claude still says is shown, its open requests are withdrawn."""
        self._ports.desk.because(self.id, reason)
        await self._agent.close()

    def warm(self, *, stay: bool = False) -> None:
        """Start a process before anything is said: somebody is about to, or it is to be there (`stay`)."""
        self._agent.warm(WarmUpReason.STARTUP if stay else WarmUpReason.TYPING)

    async def choose(self, own: Choices) -> ChoiceResult:
        """Change what is chosen for this thread; tells whether the running process has taken it."""
        return await self._agent.choose(own)

    async def control(
        self, subtype: str, *, start: bool = False, within: float = 10.0, **fields: Any
    ) -> Mapping[str, Any]:
        """Ask Claude's process for something that is no prompt; raises ClaudeError if it won't, or there is none."""
        return await self._agent.control(subtype, start=start, within=within, **fields)

    # What Claude asks for

    async def ask(self, run: str, request: Request) -> Allow | Deny:
        """Decide on a tool use: by a rule, or by asking a person, however long that takes."""
        return await self._approval.ask(run, request)

    async def send_file(self, run: str, wish: FileRequest) -> FileAnswer:
        """Look at a file that Claude wants to send, and show it in the thread if it may go."""
        await self._approval.appears(wish.tool_use_id)
        if not self._agent.is_current(run):
            return FileAnswer(sent=False, message=RUN_IS_OVER)
        found = await asyncio.to_thread(self._ports.host.sendable, wish.path, self._thread.project.folder)
        if isinstance(found, str):
            return FileAnswer(sent=False, message=found)
        view, shown = FILE.of(wish.tool_use_id), asyncio.Event()
        message = Message("file", truncate(wish.caption, CAPTION), files=(found,))
        self._turns.refresh()  # what Claude said before it comes first
        self._thread.channel.show(view, lambda: [message])
        self._thread.channel.once_shown(view, shown.set)
        try:
            async with asyncio.timeout(SENT):
                await shown.wait()
        except TimeoutError:
            return FileAnswer(sent=True, message=f"{found.name} is on its way; Discord is slow at the moment.")
        return FileAnswer(sent=True, message=f"{found.name} was sent.")

    # How it is

    def status(self) -> Status:
        """Tell how things stand."""
        record, process, turn = self._session.record, self._agent.process, self._turns.turn
        return Status(
            thread=self.id,
            title=record.title,
            project=self._thread.project,
            host=HERE,
            doing=self._doing(),
            since=turn.record.started_at if turn else None,
            waiting=tuple(self._turns.waiting),
            queued=len(self._queue),
            held=tuple(prompt.id for prompt in self._queue.held),
            due=self._queue.due,
            warming=self._agent.warming,
            process=process.pid if process else None,
            session=record.session,
            last_answer=self._turns.last_answer,
            capabilities=self._session.capabilities,
        )

    async def watch(self, prompt: int) -> AsyncIterator[PromptStatus]:
        """Yield what becomes of a prompt whenever something may have changed; the last one has its outcome."""
        shown: ShownTurn | None = None
        while True:
            current = next((known for known in self._turns if known.prompt and known.prompt.id == prompt), None)
            shown = current or shown
            if shown is not None:
                yield (now := status_of(shown))
                if now.outcome is not None:
                    return
            elif all(waiting.id != prompt for waiting in self._queue):
                yield never_shown(self._ports.store.prompt(prompt))
                return
            await self._changes.wait(WATCH)  # a ticket changes without an event

    def _doing(self) -> Doing:
        if self._turns.waiting:
            return "waiting"
        match self._agent.state:
            case Asleep():
                return "asleep"
            case Starting():
                return "starting"
            case Ending():
                return "ending"
        return "working" if self._turns.turn is not None else "idle"

    async def _interrupt(self, who: str) -> bool:
        """Interrupt the turn, once; False where only ending the process would help."""
        self._ports.desk.because(self.id, f"stopped by {who}")
        return await self._agent.interrupt()

    def _note_stop(self, at: float) -> None:
        """Remember when somebody said stop; Discord's clock and ours may differ, and the earlier one counts."""
        self._stopped_at = max(self._stopped_at, min(at, self._ports.clock()))

    def _withdraw_edit(self) -> None:
        """No longer offer to send an edited prompt again."""
        if self._edited is not None:
            self._thread.channel.show(EDIT_NOTE.of(self._edited), list)
            self._edited = None
