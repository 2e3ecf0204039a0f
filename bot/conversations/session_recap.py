"""The recap of a lost session, which a new session gets before its first prompt."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.conversations.conversation_parts import ConversationParts
from bot.events import Result
from bot.records import RunRecord

RECAP_TURNS = 12
"""Most turns in a recap."""
LONGEST_TEXT = 1200
"""Most characters of each prompt and each answer."""

_INTRODUCTION = (
    "[The session of this conversation was lost, so a new one starts. Here are its last messages, shortened; "
    "files may have changed since. The person's next message follows.]"
)


async def recap_of(parts: ConversationParts) -> list[Mapping[str, Any]]:
    """Return the recap of a conversation as content blocks; empty if nothing was said."""
    said = []
    for turn, prompt in parts.ports.store.last_prompted_turns(parts.id, RECAP_TURNS):
        answer = ""
        async with parts.ports.host.adopt(RunRecord(turn.run, parts.id, "", 0.0)) as process:
            async for end, event in process.events(turn.offset):
                if isinstance(event, Result) and end == turn.end:
                    answer = event.text
        said.append((prompt, answer))
    return [{"type": "text", "text": recap(said)}] if said else []


def recap(said: Sequence[tuple[str, str]]) -> str:
    """Write a recap of pairs of a prompt and its answer, oldest first."""
    lines = [_INTRODUCTION]
    for prompt, answer in said:
        lines.append(f"Person: {_short(prompt)}")
        if answer:
            lines.append(f"Claude: {_short(answer)}")
    return "\n\n".join(lines)


def _short(text: str) -> str:
    text = text.strip()
    half = LONGEST_TEXT // 2
    return text if len(text) <= LONGEST_TEXT else f"{text[:half]} […] {text[-half:]}"
