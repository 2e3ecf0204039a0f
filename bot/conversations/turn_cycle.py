"""Begins and ends an agent's turns: in its state, in the store, in the thread and in the parent channel."""

from bot.conversations.agent_run import AgentRun
from bot.conversations.agent_state import Lifecycle
from bot.conversations.conversation_parts import ConversationParts
from bot.conversations.shown_turns import ShownTurn
from bot.message_names import TURN_NOTICE
from bot.records import Prompt
from bot.render.turns.turn_notice import turn_notice


class TurnCycle:
    """Used by everything that begins or ends a turn: prompts, the journal, permission requests, a process's end."""

    def __init__(self, parts: ConversationParts, lifecycle: Lifecycle) -> None:
        self._parts = parts
        self._lifecycle = lifecycle

    def begin(self, run: AgentRun | None, prompt: Prompt | None = None, offset: int | None = None) -> ShownTurn:
        """Begin a turn: for a prompt, or because Claude started by itself (at this offset of the journal)."""
        # Only now, not at the end of the last turn: its requests may end after it.
        self._parts.ports.desk.set_withdrawal_reason(self._parts.id, None)
        self._lifecycle.begin_turn()
        if run is None:
            return self._parts.turns.begin("", 0, prompt)
        return self._parts.turns.begin(run.process.id, run.offset if offset is None else offset, prompt)

    def finish(self, run: AgentRun | None, shown: ShownTurn) -> None:
        """End a turn at the offset to which the journal has been read."""
        self._parts.turns.finish(shown, run.offset if run else 0)
        self._lifecycle.finish_turn()
        self._notify(shown)
        if shown.prompt is not None and not shown.taken:
            # Claude had started something by itself just before the prompt, whose turn begins now
            self.begin(run, shown.prompt).stopping = shown.stopping

    def give_up(self, run: AgentRun | None, shown: ShownTurn) -> None:
        """End a turn that won't get a result."""
        shown.turn.close()
        shown.taken = True
        self.finish(run, shown)

    def _notify(self, shown: ShownTurn) -> None:
        """Say in the parent channel how the turn ended."""
        thread = self._parts.thread
        if thread.parent is not None:
            mention = thread.project.mention
            thread.parent.show(TURN_NOTICE.of(self._parts.id), lambda: [turn_notice(shown.turn, shown.record, mention)])
