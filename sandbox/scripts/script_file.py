"""Reads and writes script files, which pass scripts to a scripted agent in another process."""

import json
import runpy
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sandbox.scripts.script import (
    NOTIFIED,
    Block,
    Break,
    ClaudeScript,
    Complain,
    Exit,
    Fail,
    Hang,
    RawLine,
    Say,
    Think,
    Use,
    WaitFor,
    echo,
    last_marker,
    script,
)

BLOCKS: dict[str, type[Any]] = {
    "say": Say,
    "think": Think,
    "use": Use,
    "fail": Fail,
    "break": Break,
    "hang": Hang,
    "wait_for": WaitFor,
    "line": RawLine,
    "complain": Complain,
    "exit": Exit,
}
"""A block is a JSON object; its first key is one of these, with the block's first field as the value."""


class ScriptFileError(Exception):
    """A script file is invalid."""


ECHO = script(echo)


@dataclass(frozen=True)
class ScriptSet:
    """Scripts by marker, and one for all other prompts."""

    scripts: Mapping[str, ClaudeScript]
    default: ClaudeScript = ECHO

    def choose(self, prompt: str) -> ClaudeScript:
        marker = last_marker(prompt, self.scripts)
        return self.default if marker is None else self.scripts[marker]


FINISHED = {NOTIFIED: script([Say("It is finished.")])}


def load(path: Path) -> ScriptSet:
    """Load scripts from JSON (marker -> steps, "" for any prompt) or from a Python file's `SCRIPTS`."""
    if path.suffix == ".py":
        scripts: dict[str, ClaudeScript] = runpy.run_path(str(path))["SCRIPTS"]
    else:
        content = json.loads(path.read_text(encoding="utf-8"))
        scripts = {
            marker: ClaudeScript(tuple(tuple(map(_block, step)) for step in steps)) for marker, steps in content.items()
        }
    default = scripts.pop("", ECHO)
    return ScriptSet({**FINISHED, **scripts}, default)


def save(path: Path, scripts: Mapping[str, ClaudeScript]) -> None:
    """Write scripts as JSON; steps that are functions can't be written."""
    content = {marker: [_steps(step) for step in play.steps] for marker, play in scripts.items()}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _steps(step: Any) -> list[dict[str, Any]]:
    if callable(step):
        raise ScriptFileError("a step that is a function needs a Python file with SCRIPTS, not JSON")
    return [_plain(block) for block in step]


def _plain(block: Block) -> dict[str, Any]:
    name = next(name for name, kind in BLOCKS.items() if isinstance(block, kind))
    values = {field.name: getattr(block, field.name) for field in fields(block)}
    if not values:
        return {name: None}
    first, *rest = values
    return {name: values[first], **{key: values[key] for key in rest}}


def _block(content: Mapping[str, Any]) -> Block:
    name, *more = content
    if name not in BLOCKS:
        raise ScriptFileError(f'there is no block "{name}"; there are {", ".join(BLOCKS)}')
    kind = BLOCKS[name]
    names = [field.name for field in fields(kind)]
    values = {names[0]: content[name]} if names and content[name] is not None else {}
    block: Block = kind(**values, **{key: content[key] for key in more})
    return block
