"""What a new session is told of the one that is lost."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.conversations.conversation_parts import ConversationParts
from bot.events import Result
from bot.records import RunRecord

RECALLED = 12
"""Turns of which a new session is told."""
EACH = 1200
"""Characters of each prompt and each answer."""

_BEGINNING = (
    "[The session of this conversation is lost, and a new one begins. This is what was said in it last, shortened; "
    "files may have changed since. The person's next message follows.]"
)


async def recap_of(parts: ConversationParts) -> list[Mapping[str, Any]]:
    """Give what a new session should know of the one that is lost; nothing where nothing was said."""
    said = []
    for turn, prompt in parts.ports.store.told(parts.id, RECALLED):
        answer = ""
        async with parts.ports.host.adopt(RunRecord(turn.run, parts.id, "", 0.0)) as process:
            async for end, event in process.events(turn.offset):
                if isinstance(event, Result) and end == turn.end:
                    answer = event.text
        said.append((prompt, answer))
    return [{"type": "text", "text": recap(said)}] if said else []


def recap(said: Sequence[tuple[str, str]]) -> str:
    """Write down what people told Claude and what it answered at the end of each turn, oldest first."""
    lines = [_BEGINNING]
    for prompt, answer in said:
        lines.append(f"Person: {_short(prompt)}")
        if answer:
            lines.append(f"Claude: {_short(answer)}")
    return "\n\n".join(lines)


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= EACH else f"{text[: EACH // 2]} […] {text[-EACH // 2 :]}"
