"""Measures decoding and rendering Claude's output, compared with `json.loads` of the same lines."""

import gc
import json
import time
from collections.abc import Iterator
from itertools import count, islice
from uuid import UUID

from benchmarks.figures import Curve, Figure, Outcome, Size, beside, p50
from bot.events import decode
from bot.render.turns.turn import TurnView
from bot.transcript import Turn

RENDER_EVERY = 50
"""Events between two renderings: about as many as arrive in the 1.2 s between two edits of a message."""
PROSE = "The test fails because the fixture is set up **twice**: once in `conftest.py`, once here. I move it.\n\n"
CODE = "    def total(self) -> int:\n        return sum(line.price * line.count for line in self.lines)\n"
SESSION = "9f0d9a52-1a0e-4c53-8a55-0b3f0c0d9b1e"

_numbers = count(1)


def lines(size: int) -> list[bytes]:
    """Return one long turn of about this many bytes: prose in pieces, thinking, tools and their results."""
    found, written = [], 0
    for line in _turn():
        found.append(line)
        written += len(line) + 1
        if written >= size:
            break
    return found


def _line(kind: str, **more: object) -> bytes:
    envelope = {"session_id": SESSION, "parent_tool_use_id": None, "uuid": str(UUID(int=next(_numbers)))}
    return json.dumps({"type": kind, **more, **envelope}).encode()


def _event(kind: str, **more: object) -> bytes:
    return _line("stream_event", event={"type": kind, **more})


def _turn() -> Iterator[bytes]:
    number = 0
    while True:
        number += 1
        message = {"id": f"msg_{number:024d}", "model": "claude-opus-5-5", "role": "assistant"}
        usage = {"input_tokens": 30_000, "output_tokens": 400}
        yield _event("message_start", message={**message, "content": [], "usage": usage})
        yield from _pieces(0, "thinking", "Let me see what the fixture does before the test begins. " * 4, message)
        text = PROSE * 2 + f"```python\n{CODE * 6}```\n" + PROSE
        yield from _pieces(1, "text", text, message)
        yield from _tool(2, number, message)
        yield _event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 500})
        yield _event("message_stop")
        yield _outcome(number)


def _pieces(index: int, kind: str, text: str, message: dict[str, str]) -> Iterator[bytes]:
    yield _event("content_block_start", index=index, content_block={"type": kind, kind: ""})
    for start in range(0, len(text), 24):
        delta = {"type": f"{kind}_delta", kind: text[start : start + 24]}
        yield _event("content_block_delta", index=index, delta=delta)
    yield _line("assistant", message={**message, "content": [{"type": kind, kind: text}], "usage": {}})
    yield _event("content_block_stop", index=index)


def _tool(index: int, number: int, message: dict[str, str]) -> Iterator[bytes]:
    content = CODE * (80 if number % 5 == 0 else 4)
    arguments = {"file_path": f"/project/src/module_{number}.py", "content": content}
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "Write"}
    yield _event("content_block_start", index=index, content_block={**use, "input": {}})
    text = json.dumps(arguments)
    for start in range(0, len(text), 40):
        delta = {"type": "input_json_delta", "partial_json": text[start : start + 40]}
        yield _event("content_block_delta", index=index, delta=delta)
    yield _line("assistant", message={**message, "content": [{**use, "input": arguments}], "usage": {}})
    yield _event("content_block_stop", index=index)


def _outcome(number: int) -> bytes:
    said = f"File created successfully at: /project/src/module_{number}.py"
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": said}
    structured = {"type": "create", "filePath": f"/project/src/module_{number}.py", "content": CODE * 4}
    return _line("user", message={"role": "user", "content": [block]}, tool_use_result=structured)


def shown(stream: list[bytes]) -> int:
    """Process a stream as the bot does; return the number of messages at the end."""
    turn = Turn(prompted_by=1, started_at=1.0)
    view = TurnView(turn)
    for number, line in enumerate(stream):
        turn.apply(decode(line), 1.0)
        if number % RENDER_EVERY == 0:
            view.messages({})
    return len(view.messages({}))


def parsed(stream: list[bytes]) -> int:
    for line in stream:
        json.loads(line)
    return len(stream)


def timed(work: object, stream: list[bytes]) -> float:
    assert callable(work)
    gc.collect()
    start = time.process_time()
    work(stream)
    return time.process_time() - start


async def measure(size: Size) -> Outcome:
    megabytes = [1, 4] if size.small else [1, 10, 100]
    whole = lines(megabytes[-1] * 1_000_000)
    curve: dict[str, list[tuple[float, float]]] = {"decoded and rendered": [], "json.loads": []}
    ratios: dict[int, float] = {}
    for each in megabytes:
        part = list(islice(whole, round(len(whole) * each / megabytes[-1])))
        rounds = 3 if each < 50 else 1
        pairs = [
            (timed(shown, part), timed(parsed, part)) for _ in range(rounds)
        ]  # alternating, so that noise affects both
        ours, floor = p50([pair[0] for pair in pairs]), p50([pair[1] for pair in pairs])
        curve["decoded and rendered"].append((each, ours))
        curve["json.loads"].append((each, floor))
        ratios[each] = p50([a / b for a, b in pairs])
    (before, shorter), (after, longer) = curve["decoded and rendered"][-2:]
    growth = (longer / shorter) / (after / before) * 10
    figures = (
        *(
            beside(
                f"a stream of {each} MB, decoded and rendered",
                dict(curve["decoded and rendered"])[each],
                dict(curve["json.loads"])[each],
                "s",
                "json.loads of the same lines",
                most=4,
            )
            for each in megabytes
        ),
        Figure(
            "ten times the stream takes so many times as long",
            growth,
            "×",
            10,
            "exactly linear",
            growth,
            "×",
            least=9,
            most=12,
        ),
    )
    title = "Decoding and rendering one turn"
    return Outcome(figures, (Curve("stream", title, "MB", "seconds", curve),))
