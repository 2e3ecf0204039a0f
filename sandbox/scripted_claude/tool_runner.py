"""Runs the tools for real, in the project's folder, with the input that a person allowed."""

import asyncio
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any
from uuid import uuid4

BASH_TIMEOUT = 60.0
PREVIEW = 2_000
BIG = 30_000
CURRENT = "(file state is current in your context — no need to Read it back)"

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolRunResult:
    """A tool's result: the text that Claude reads, and the same result as data."""

    text: str
    is_error: bool = False
    structured: Any = None

    @classmethod
    def error(cls, text: str) -> "ToolRunResult":
        return cls(text, is_error=True, structured=f"Error: {text}")


@dataclass
class ToolRunner:
    """Runs tools in one folder, and keeps the to-do list."""

    cwd: Path
    results: Path
    """The folder for output that is too long for a message."""
    todos: list[Fields] = field(default_factory=list)

    async def run(self, tool: str, input_: Mapping[str, Any]) -> ToolRunResult:
        """Run a tool."""
        if tool == "Bash":
            return await self.bash(input_)
        others = {
            "Write": self._write,
            "Edit": self._edit,
            "Read": self._read,
            "TodoWrite": self._todos,
            "AskUserQuestion": _answers,
        }
        if tool not in others:
            text = f"Error: No such tool available: {tool}"
            return ToolRunResult(f"<tool_use_error>{text}</tool_use_error>", is_error=True, structured=text)
        return others[tool](input_)

    async def bash(self, input_: Mapping[str, Any]) -> ToolRunResult:
        """Run a command in its own process group, so that none of its processes is left behind."""
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            input_["command"],
            cwd=self.cwd,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        seconds = input_.get("timeout", BASH_TIMEOUT * 1000) / 1000
        try:
            async with asyncio.timeout(seconds):
                out, err = await process.communicate()
        except TimeoutError:
            return ToolRunResult.error(f"Command timed out after {seconds:g}s")
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                await asyncio.shield(process.wait())
        return self._outcome(process.returncode or 0, out.decode(errors="replace"), err.decode(errors="replace"))

    def _outcome(self, code: int, out: str, err: str) -> ToolRunResult:
        out, err = out.rstrip("\n"), err.rstrip("\n")
        both = "\n".join(part for part in (out, err) if part)
        if code != 0:
            return ToolRunResult.error("\n".join(part for part in (f"Exit code {code}", both) if part))
        structured: Fields = {"stdout": out, "stderr": err, "interrupted": False, "isImage": False}
        if len(both) > BIG:
            self.results.mkdir(parents=True, exist_ok=True)
            path = self.results / f"{uuid4().hex[:9]}.txt"
            path.write_text(both, encoding="utf-8")
            structured |= {"stdout": out[:BIG], "persistedOutputPath": str(path), "persistedOutputSize": len(both)}
            size = f"Output too large ({len(both) / 1024:.1f}KB). Full output saved to: {path}"
            preview = both[:PREVIEW]
            both = f"<persisted-output>\n{size}\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>"
        return ToolRunResult(both or "(Bash completed with no output)", structured=structured)

    def _path(self, input_: Mapping[str, Any]) -> Path:
        return (self.cwd / str(input_["file_path"])).resolve()

    def _write(self, input_: Mapping[str, Any]) -> ToolRunResult:
        path, content = self._path(input_), input_["content"]
        if not self._is_in_folder(path):
            return ToolRunResult.error(f"The scripted agent writes only inside {self.cwd}.")
        before = path.read_text(encoding="utf-8") if path.exists() else None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        structured = {
            "type": "create" if before is None else "update",
            "filePath": str(path),
            "content": content,
            "structuredPatch": [] if before is None else patch(before, content),
            "originalFile": before,
            "userModified": False,
        }
        if before is None:
            return ToolRunResult(f"File created successfully at: {path} {CURRENT}", structured=structured)
        return ToolRunResult(f"The file {path} has been updated successfully. {CURRENT}", structured=structured)

    def _edit(self, input_: Mapping[str, Any]) -> ToolRunResult:
        path, old, new = self._path(input_), input_["old_string"], input_["new_string"]
        if not self._is_in_folder(path):
            return ToolRunResult.error(f"The scripted agent writes only inside {self.cwd}.")
        if not path.exists():
            return self._missing()
        before = path.read_text(encoding="utf-8")
        if old not in before:
            return ToolRunResult.error(f"String to replace not found in file.\nString: {old}")
        everywhere = bool(input_.get("replace_all", False))
        after = before.replace(old, new) if everywhere else before.replace(old, new, 1)
        path.write_text(after, encoding="utf-8")
        structured = {
            "filePath": str(path),
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": patch(before, after),
            "userModified": False,
            "replaceAll": everywhere,
        }
        return ToolRunResult(f"The file {path} has been updated successfully. {CURRENT}", structured=structured)

    def _read(self, input_: Mapping[str, Any]) -> ToolRunResult:
        path = self._path(input_)
        if not path.is_file():
            return self._missing()
        content = path.read_text(encoding="utf-8", errors="replace")
        lines = content.split("\n")
        numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
        file = {"filePath": str(path), "content": content, "numLines": len(lines), "startLine": 1}
        return ToolRunResult(numbered, structured={"type": "text", "file": {**file, "totalLines": len(lines)}})

    def _todos(self, input_: Mapping[str, Any]) -> ToolRunResult:
        before, self.todos = self.todos, list(input_["todos"])
        text = "Todos have been modified successfully."
        return ToolRunResult(text, structured={"oldTodos": before, "newTodos": self.todos})

    def _missing(self) -> ToolRunResult:
        return ToolRunResult.error(f"File does not exist. Note: your current working directory is {self.cwd}.")

    def _is_in_folder(self, path: Path) -> bool:
        return path.is_relative_to(self.cwd.resolve())


def patch(before: str, after: str) -> list[Fields]:
    """Return the hunks of the diff between two texts, as the CLI reports them."""
    hunks: list[Fields] = []
    for line in list(unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[2:]:
        if line.startswith("@@"):
            _, old, new, _ = line.split(" ", 3)
            hunks.append({**_range("old", old), **_range("new", new), "lines": []})
        else:
            hunks[-1]["lines"].append(line)
    return hunks


def _range(side: str, text: str) -> Fields:
    start, _, length = text[1:].partition(",")
    return {f"{side}Start": int(start), f"{side}Lines": int(length or 1)}


def _answers(input_: Mapping[str, Any]) -> ToolRunResult:
    answers = input_.get("answers", {})
    pairs = ", ".join(f'"{question}"="{answer}"' for question, answer in answers.items())
    text = f"Your questions have been answered: {pairs}. You can now continue with these answers in state."
    return ToolRunResult(text, structured={"questions": input_["questions"], "answers": answers})
