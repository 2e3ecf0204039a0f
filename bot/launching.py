"""How a run is started: what was chosen for its thread, as the CLI wants to hear it."""

import uuid

from bot.config import Choices, Project
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
        session=record.session or str(uuid.uuid4()),
        resume=record.session is not None,
        arguments=(*_arguments(choices(project, record)), *project.extra_args),
    )


def _arguments(chosen: Choices) -> tuple[str, ...]:
    flags = {
        "--permission-mode": chosen.permission_mode or "default",
        "--model": chosen.model,
        "--effort": chosen.effort,
    }
    return tuple(word for flag, value in flags.items() if value for word in (flag, value))
