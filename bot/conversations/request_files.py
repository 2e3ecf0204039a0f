"""Reads the file that a permission request is about, as it is right now."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Ticket
from bot.permission_requests.tool_input import EditCell, EditFile, ReadFile, WriteFile
from bot.ports import Host, ReadScope
from bot.projects.projects import Projects


@dataclass(frozen=True, slots=True)
class RequestFiles:
    """Reads only files that Claude itself may read without asking."""

    host: Host
    projects: Projects

    async def read(self, request: PermissionRequest, known: FileSnapshot | None = None) -> FileSnapshot:
        """Read a request's file; return `known` itself if the file is unchanged."""
        path: Any = request.input.get("file_path") or request.input.get("notebook_path")
        content = False
        match request.action:
            case EditFile(path=path) | WriteFile(path=path) | EditCell(path=path):
                content = True
            case ReadFile(path=path):
                pass
        if not isinstance(path, str):
            return FileSnapshot()
        project = self.projects.in_thread(request.conversation)
        extra = project.extra_folders if project is not None else None
        folders = (*(extra or ()), self.host.attachments(request.conversation))
        scope = ReadScope(Path(request.origin.folder), folders, content)
        return await asyncio.to_thread(self.host.look_at, path, scope, known)

    async def read_again(self, ticket: Ticket) -> FileSnapshot:
        """Read a ticket's file again, without comparing it to the last time."""
        if self.projects.in_thread(ticket.conversation) is None:
            return FileSnapshot(hidden="unknown")
        return await self.read(ticket.request)
