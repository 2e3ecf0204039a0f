"""Starts a `claude` process: its command line, its working folder and its environment."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from bot.claude.environment import FILE_TOOL, PERMISSION_TOOL, SETTINGS
from bot.errors import ClaudeError
from bot.ports import Launch
from bot.private_files import append_to


async def start_process(
    command_line: Sequence[str], launch: Launch, folder: Path, environment: Mapping[str, str]
) -> asyncio.subprocess.Process:
    """Start a process that writes its stdout and stderr to files in the run's folder; raise ClaudeError if it can't."""
    with append_to(folder / "journal.jsonl") as journal, append_to(folder / "stderr.log") as stderr:
        try:
            return await asyncio.create_subprocess_exec(
                *command_line,
                stdin=asyncio.subprocess.PIPE,
                stdout=journal,
                stderr=stderr,
                cwd=launch.folder,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ClaudeError(_start_error(command_line[0], launch, error)) from None


def arguments(launch: Launch, config: Path, attachments: Path) -> list[str]:
    """Return the arguments of the command line."""
    return [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--replay-user-messages",
        "--mcp-config",
        str(config),
        "--permission-prompt-tool",
        PERMISSION_TOOL,
        "--settings",
        SETTINGS,
        "--resume" if launch.resume else "--session-id",
        launch.session,
        *launch.arguments,
        f"--add-dir={attachments}",
        f"--allowedTools={FILE_TOOL}",
    ]


def _start_error(program: str, launch: Launch, error: OSError) -> str:
    if not launch.folder.is_dir():
        return f"The project's folder {launch.folder} no longer exists. Restore it, or correct `folder`."
    if isinstance(error, FileNotFoundError):
        return (
            f"There is no program `{program}` on this machine. Install Claude Code, "
            'or set its path in the configuration: [claude] command = ["/path/to/claude"].'
        )
    return f"`{program}` can't be started: {error.strerror}. Check `command` in [claude]."
