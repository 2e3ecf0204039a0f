"""How a run is started: what was chosen for its thread, as the CLI wants to hear it."""

import uuid

from bot.config import UNGUARDED, Choices, PermissionMode, Project
from bot.ports import Launch
from bot.records import ConversationRecord


def choices(project: Project, record: ConversationRecord) -> Choices:
    """What counts in a thread: its own choices, then the project's for threads, then the project's."""
    return record.own.over(project.threads).over(project)


def launch(project: Project, record: ConversationRecord, run: str, token: str) -> Launch:
    """Write down the start of a run."""
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
    """The mode that a run starts in: one that skips permissions only where the configuration allows it."""
    if chosen.permission_mode in UNGUARDED and not project.allow_bypass:
        return "default"
    return cli_mode(chosen.permission_mode or "default")


def cli_mode(chosen: PermissionMode) -> PermissionMode:
    """What Claude is told of a mode: its own `acceptEdits` lets `rm` and `mv` pass too, so the rule book answers."""
    return "default" if chosen == "acceptEdits" else chosen


def _arguments(chosen: Choices, project: Project) -> tuple[str, ...]:
    flags = {
        "--permission-mode": mode(chosen, project),
        "--model": chosen.model,
        "--effort": chosen.effort,
        "--append-system-prompt": chosen.system_prompt,
    }
    said = tuple(word for flag, value in flags.items() if value for word in (flag, value))
    # With a = each: these flags take as many words as follow, and a rule may begin with anything.
    tools = (f"--allowedTools={rule}" for rule in chosen.allowed_tools or ())
    folders = (f"--add-dir={folder}" for folder in chosen.extra_folders or ())
    return (*said, *tools, *folders)
