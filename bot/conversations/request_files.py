"""The file that a permission request is about, as it is right now."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bot.config import Project
from bot.permission_requests.ticket import Seen, Ticket
from bot.permission_requests.tool_input import EditCell, EditFile, ReadFile, WriteFile, read
from bot.ports import Claude, Reach
from shared.protocol import Request


class Projects(Protocol):
    def in_thread(self, conversation: int) -> Project | None: ...


@dataclass(frozen=True, slots=True)
class RequestFiles:
    """Looks at such files, as far as Claude itself reads them without asking."""

    claude: Claude
    projects: Projects

    async def look(self, request: Request, conversation: int, folder: Path, known: Seen | None = None) -> Seen:
        """Look at a request's file, given the folder that Claude works in and what was seen of it before."""
        path: Any = request.input.get("file_path") or request.input.get("notebook_path")
        content = False
        match read(request):
            case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
                content = True
            case ReadFile(path=path):
                pass
        if not isinstance(path, str):
            return Seen()
        project = self.projects.in_thread(conversation)
        extra = project.extra_folders if project is not None else None
        reach = Reach(folder, (*(extra or ()), self.claude.attachments(conversation)), content)
        return await asyncio.to_thread(self.claude.look_at, path, reach, known)

    async def of_ticket(self, ticket: Ticket) -> Seen:
        """Look at a ticket's file again, whatever was seen of it before."""
        if self.projects.in_thread(ticket.conversation) is None:
            return Seen(hidden="unknown")
        return await self.look(ticket.request, ticket.conversation, Path(ticket.origin.folder))
