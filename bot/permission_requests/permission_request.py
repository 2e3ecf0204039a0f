"""A permission request: a tool call that needs approval, with its parsed input and its warnings."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bot.permission_requests import request_warnings
from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.tool_input import Action, read
from bot.risk import RiskWarning
from shared.protocol import Request


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """Where a request comes from: project, folder, person, subagent."""

    project: str
    folder: str
    prompted_by: int | None = None
    """The Discord user whose prompt started the turn; None if Claude started it on its own."""
    subagent: str | None = None
    """The task of the subagent that asks; None for Claude itself."""
    second_person: bool = False
    """Whether someone other than `prompted_by` must approve a request with a warning."""


@dataclass(frozen=True)
class PermissionRequest:
    """A request with everything that its ticket needs. The results of `cached` functions are stored on it."""

    conversation: int
    run: str
    tool_name: str
    input: dict[str, Any]
    tool_use_id: str
    action: Action
    """The parsed input."""
    origin: RequestOrigin
    file: FileSnapshot

    @classmethod
    def of(
        cls, request: Request, origin: RequestOrigin, *, conversation: int, run: str, file: FileSnapshot | None = None
    ) -> "PermissionRequest":
        """Create a permission request from the one that Claude sent."""
        name, given = request.tool_name, request.input
        found = file or FileSnapshot()
        return cls(conversation, run, name, given, request.tool_use_id, read(name, given), origin, found)

    @property
    def call(self) -> Request:
        """The tool call as Claude sent it."""
        return Request(tool_name=self.tool_name, input=self.input, tool_use_id=self.tool_use_id)

    @cached_property
    def warnings(self) -> tuple[RiskWarning, ...]:
        """The warnings, most serious first."""
        return request_warnings.warnings(self.action, self.origin.folder, self.file.leads_to)

    @cached_property
    def unchecked(self) -> str:
        """A note about code that was not checked; empty if there is none."""
        return request_warnings.unchecked(self.action)

    def with_file(self, file: FileSnapshot) -> "PermissionRequest":
        """Return the request with its file as it is now; it is assessed again only if the path leads elsewhere."""
        changed = replace(self, file=file)
        if file.leads_to == self.file.leads_to:
            vars(changed).update({name: vars(self)[name] for name in ("warnings", "unchecked") if name in vars(self)})
        return changed

    def with_input(self, given: dict[str, Any]) -> "PermissionRequest":
        """Return the request with another input, which is parsed and assessed again."""
        return self if given == self.input else replace(self, input=given, action=read(self.tool_name, given))
