"""What a new session is told of the one that is lost."""

from collections.abc import Sequence

RECALLED = 12
"""Turns of which a new session is told."""
EACH = 1200
"""Characters of each prompt and each answer."""

_BEGINNING = (
    "[The session of this conversation is lost, and a new one begins. This is what was said in it last, shortened; "
    "files may have changed since. The person's next message follows.]"
)


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
