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
from bot.conversations.tool_approval import RUN_HAS_ENDED, ToolApproval
from bot.conversations.warm_up import WarmUpReason
from bot.message_names import EDIT_NOTE, FILE
from bot.messages import Message
from bot.records import HELD, Prompt
from bot.render.queue_notes import held_sentence, late_edit_note
from bot.text.truncate import truncate
from shared.protocol import Allow, Deny, FileAnswer, FileRequest, Request

WATCH_INTERVAL = 0.3
"""Seconds between two updates for someone who follows a turn from the terminal."""
CAPTION_LENGTH = 1500
SEND_WITHIN = 30.0
"""Seconds to wait until Discord shows a file."""
THIS_MACHINE = "this machine"


class Conversation:
    """One thread's conversation: everything that people and Claude do in it is a method here."""

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
        """The prompt that was edited after Claude had read it."""
        self._stopped_at = 0.0
        """Time of the last stop. A prompt written before it is put on hold, even if it arrives later."""

    # Prompts

    def say(self, prompt: Prompt) -> None:
        """Queue a prompt; it runs after those before it. One that was written before a stop is put on hold."""
        if prompt.at <= self._stopped_at:
            prompt = replace(prompt, after=HELD)
        if self._queue.add(prompt, busy=self._turns.turn is not None):
            self._remove_edit_note()
            self._turns.remove_retry_buttons()
        self._changes.send()

    def cancel(self, *messages: int) -> bool:
        """Cancel the prompts of these messages; return False if none of them was still queued."""
        cancelled = [self._queue.cancel(message) for message in messages]
        self._queue.update_hold_note()  # the deleted message may have been that note
        return any(cancelled)

    def edit(self, prompt: int, text: str) -> None:
        """Change a prompt's text; if Claude has already read the prompt, offer to send the new version."""
        if self._queue.edit(prompt, text):
            return
        last = self._ports.store.last_prompt(self.id)
        if last is None or last.id != prompt or last.text == text:
            return
        self._ports.store.revise_prompt(prompt, text)
        self._remove_edit_note()
        self._edited = prompt
        self._thread.channel.show(EDIT_NOTE.of(prompt), lambda: [late_edit_note(prompt)])

    async def run_next(self, *prompts: int, interrupt_as: str | None = None) -> bool:
        """Run queued prompts next, including those on hold; return False if none of them is still queued.

        They wait for the current turn to end, unless `interrupt_as` names the person to interrupt it for.
        """
        if not self._queue.run_next(prompts):
            return False
        if interrupt_as is not None and self._turns.turn is not None:
            await self._interrupt(interrupt_as)
        self._changes.send()
        return True

    # The process and its session

    async def stop(self, who: str, at: float = math.inf) -> str:
        """Interrupt the turn, or end the process if no turn is running or it was already interrupted.

        Queued prompts are put on hold. `at` is Discord's time of the stop: a message from before it may arrive later.
        """
        self._note_stop(at)
        if not self.status().stoppable:
            return "Nothing is running here."
        self._queue.hold()  # first: when the interrupted turn ends, the next prompt would run
        kept = f"{held_sentence(len(self._queue.held))} The session is kept: send a message to continue"
        if self._agent.process is None:
            return f"Stopped before Claude started.{kept}."
        if await self._interrupt(who):
            return f"Stopped.{kept}, or use `/stop` again to end Claude's process."
        await self._agent.stop_process()
        return f"Claude's process was ended.{kept}."

    async def suspend(self, reason: str, at: float = math.inf, *, since: float = math.inf) -> bool:
        """End the process; the next prompt resumes the session. Return False if there was nothing to end."""
        if not self.status().stoppable:
            return False
        self._ports.desk.set_withdrawal_reason(self.id, reason)
        if since == math.inf:  # archiving a thread is not a stop: a message that comes after it still runs
            self._note_stop(at)
            self._queue.hold(since)
        if self._agent.process is None:
            return True
        await self._agent.stop_process()
        await self._thread.channel.settled()
        return True

    async def switch_session(self, session: str | None = None) -> None:
        """Continue with another session, or start a new one with the next prompt."""
        await self._agent.switch_session(session)

    async def close(self, reason: str) -> None:
        """End the conversation: show what Claude still says, and withdraw its open requests."""
        self._ports.desk.set_withdrawal_reason(self.id, reason)
        await self._agent.close()

    def warm(self, *, stay: bool = False) -> None:
        """Start a process before there is a prompt; without `stay` it ends soon if no prompt comes."""
        self._agent.warm(WarmUpReason.STARTUP if stay else WarmUpReason.TYPING)

    async def choose(self, own: Choices) -> ChoiceResult:
        """Change this thread's own choices; the result says whether the running process applied them."""
        return await self._agent.choose(own)

    async def control(
        self, subtype: str, *, start: bool = False, within: float = 10.0, **fields: Any
    ) -> Mapping[str, Any]:
        """Send a control request to Claude's process; raises ClaudeError if it fails or no process is running."""
        return await self._agent.control(subtype, start=start, within=within, **fields)

    # Requests from Claude

    async def ask(self, run: str, request: Request) -> Allow | Deny:
        """Decide on a permission request: by a rule, or by asking a person, however long that takes."""
        return await self._approval.ask(run, request)

    async def send_file(self, run: str, request: FileRequest) -> FileAnswer:
        """Show a file that Claude wants to send in the thread, if it may be sent."""
        await self._approval.wait_for_call(request.tool_use_id)
        if not self._agent.is_current(run):
            return FileAnswer(sent=False, message=RUN_HAS_ENDED)
        found = await asyncio.to_thread(self._ports.host.sendable, request.path, self._thread.project.folder)
        if isinstance(found, str):
            return FileAnswer(sent=False, message=found)
        view, shown = FILE.of(request.tool_use_id), asyncio.Event()
        message = Message("file", truncate(request.caption, CAPTION_LENGTH), files=(found,))
        self._turns.refresh()  # what Claude said earlier comes first
        self._thread.channel.show(view, lambda: [message])
        self._thread.channel.once_shown(view, shown.set)
        try:
            async with asyncio.timeout(SEND_WITHIN):
                await shown.wait()
        except TimeoutError:
            return FileAnswer(sent=True, message=f"{found.name} is on its way, but Discord is slow at the moment.")
        return FileAnswer(sent=True, message=f"{found.name} was sent.")

    # Status

    def status(self) -> Status:
        record, process, turn = self._session.record, self._agent.process, self._turns.turn
        return Status(
            thread=self.id,
            title=record.title,
            project=self._thread.project,
            host=THIS_MACHINE,
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
        """Yield a prompt's status whenever it may have changed; the last one has the outcome."""
        shown: ShownTurn | None = None
        while True:
            current = next((known for known in self._turns if known.prompt and known.prompt.id == prompt), None)
            shown = current or shown
            if shown is not None:
                yield (now := status_of(shown))
                if now.outcome is not None:
                    return
            elif all(queued.id != prompt for queued in self._queue):
                yield never_shown(self._ports.store.prompt(prompt))
                return
            await self._changes.wait(WATCH_INTERVAL)  # a ticket changes without an event

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
        """Interrupt the turn, once; return False if only ending the process would help."""
        self._ports.desk.set_withdrawal_reason(self.id, f"stopped by {who}")
        return await self._agent.interrupt()

    def _note_stop(self, at: float) -> None:
        """Remember the time of a stop; Discord's clock and ours may differ, so the earlier one counts."""
        self._stopped_at = max(self._stopped_at, min(at, self._ports.clock()))

    def _remove_edit_note(self) -> None:
        edited, self._edited = self._edited, None
        if edited is None and (last := self._ports.store.last_prompt(self.id)) is not None:
            edited = last.id  # before a restart, an edit of the last prompt may have come too late
        if edited is not None:
            self._thread.channel.show(EDIT_NOTE.of(edited), list)
