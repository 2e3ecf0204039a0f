"""Claude's scripts in a chaos run: each prompt names a task, and everything said and done for it has that name."""

import os
import re
from pathlib import Path

from sandbox.scripts.script import Block, ClaudeScript, Say, StepContext, Use, script

LEDGER = "CHAOS_LEDGER"
"""Names the file to which each tool that runs, and each prompt that begins, adds a line."""
TASK = re.compile(r"\b(tool|two|ask|talk) (c\d+p\d+)\b")
FILLER = "Nothing to see here, only words that make this answer longer than one message can be. " * 9


def task(prompt: str) -> tuple[str, str]:
    """Return the kind and the name of a prompt's task."""
    found = TASK.findall(prompt)[-1]
    return found[0], found[1]


def tools(kind: str, name: str) -> list[str]:
    """Return the commands that a task runs."""
    return {"tool": [f"{name}a"], "two": [f"{name}a", f"{name}b"]}.get(kind, [])


def texts(kind: str, name: str) -> list[str]:
    """Return the texts that the thread must have at the end, once each, in this order."""
    middle = [f"⟪part{n} {name}⟫" for n in range(3)] if kind == "talk" else []
    return [f"⟪begin {name}⟫", *middle, f"⟪end {name}⟫"]


def _use(tool: str) -> Use:
    return Use("Bash", {"command": f'echo "ran {tool}" >> "${LEDGER}"', "description": f"Run {tool}"})


def question(name: str) -> str:
    return f"Which colour for {name}?"


def _begin(seen: StepContext) -> list[Block]:
    kind, name = task(seen.prompt)
    with Path(os.environ[LEDGER]).open("a", encoding="utf-8") as ledger:
        ledger.write(f"begun {name}\n")
    begin = Say(f"⟪begin {name}⟫")
    match kind:
        case "ask":
            options = [{"label": label, "description": f"It is {label.lower()}."} for label in ("Red", "Green")]
            asked = {"question": question(name), "header": "Colour", "multiSelect": False, "options": options}
            return [begin, Use("AskUserQuestion", {"questions": [asked]})]
        case "talk":
            parts = [Say(f"{text}\n\n{FILLER}", pace=0.004) for text in texts(kind, name)[1:-1]]
            return [begin, *parts, Say(f"⟪end {name}⟫")]
        case _:
            return [begin, _use(tools(kind, name)[0])]


def _go_on(seen: StepContext) -> list[Block]:
    kind, name = task(seen.prompt)
    return [_use(f"{name}b")] if kind == "two" else [_end(seen)]


def _end(seen: StepContext) -> Say:
    _, name = task(seen.prompt)
    colour = re.findall(r'colour for \w+\?"="(\w+)"', " ".join(outcome.text for outcome in seen.outcomes))
    return Say(f"⟪end {name}⟫" + "".join(f" in {each}" for each in colour))


PLAY: ClaudeScript = script(_begin, _go_on, lambda seen: [_end(seen)])
SCRIPTS = {"": PLAY}
