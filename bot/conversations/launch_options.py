"""The options with which a run is started: the choices for its thread, as arguments of the CLI."""

import uuid

from bot.config import UNGUARDED, Choices, PermissionMode, Project
from bot.ports import Launch
from bot.records import ConversationRecord


def choices(project: Project, record: ConversationRecord) -> Choices:
    """Return the choices that apply in a thread: its own, then the project's for threads, then the project's."""
    return record.own.over(project.threads).over(project)


def launch(project: Project, record: ConversationRecord, run: str, token: str) -> Launch:
    return Launch(
        run=run,
        token=token,
        folder=project.folder,
        session=record.session or record.forks or str(uuid.uuid4()),
        resume=bool(record.session or record.forks),
        arguments=(
            *(("--fork-session",) if record.forks and not record.session else ()),
            *_arguments(choices(project, record), project),
            *project.extra_args,
        ),
        conversation=record.id,
        environment=choices(project, record).environment or {},
    )


def mode(chosen: Choices, project: Project) -> str:
    """Return the mode that a run starts in: one that skips permissions only if the configuration allows that."""
    if chosen.permission_mode in UNGUARDED and not project.allow_bypass:
        return "default"
    return cli_mode(chosen.permission_mode or "default")


def cli_mode(chosen: PermissionMode) -> PermissionMode:
    """Return the mode for the CLI, never `acceptEdits`: that also allows `rm` and `mv`; the rule book allows edits."""
    return "default" if chosen == "acceptEdits" else chosen


def _arguments(chosen: Choices, project: Project) -> tuple[str, ...]:
    flags = {
        "--permission-mode": mode(chosen, project),
        "--model": chosen.model,
        "--effort": chosen.effort,
        "--append-system-prompt": chosen.system_prompt,
    }
    given = tuple(word for flag, value in flags.items() if value for word in (flag, value))
    # Joined with "=": these flags take all words that follow, and a rule may begin with anything.
    tools = (f"--allowedTools={rule}" for rule in chosen.allowed_tools or ())
    folders = (f"--add-dir={folder}" for folder in chosen.extra_folders or ())
    return (*given, *tools, *folders)
