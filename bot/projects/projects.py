"""The projects in force: those of the file, with what was changed and added from Discord."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from bot.config import Choices, ConfigDifference, Project, Settings, completed, differences, fingerprint
from bot.config.values import LONGEST_NAME, is_folder, is_name
from bot.errors import ClaudeError, ConfigError, NotDone
from bot.projects.protected_files import (
    Exposure,
    ProtectedFile,
    WorkFolder,
    find_exposure,
    project_folders,
    work_folders,
)
from bot.records import ConversationRecord

SettingLayer = Literal["thread", "threads", "project"]
"""Whose a choice is: the thread's own, the project's for its threads, the project's."""
ProjectLayer = Literal["threads", "project"]
SettingSource = Literal["file", "discord"]

FIXED = ("state", "port", "keep_days", "discord_api", "log_format")
"""Settings that a running bot can't change."""
FIXED_FOR_CLAUDE = ("command", "patience_minutes")


@dataclass(frozen=True, slots=True)
class AddedProject:
    """A project that was added from Discord."""

    name: str
    folder: Path
    channels: frozenset[int]
    added_by: int
    added_at: float


@dataclass(frozen=True, slots=True)
class Worktree:
    """Where a thread works by itself: a folder of git's, on a branch of its own."""

    conversation: int
    repository: Path
    """The folder that it was branched off in."""
    path: Path
    folder: Path
    """Where Claude works: the same place inside it as the project's folder has inside the repository."""
    branch: str
    base: str
    """The branch that it goes back to; a commit where the repository was on none."""
    fork: str
    """The commit that it began with."""
    created_at: float
    spared: str = ""
    """The state in which somebody chose to keep it when the thread was archived."""


class ProjectStore(Protocol):
    """What was changed from Discord, remembered."""

    def project_choices(self) -> Mapping[tuple[str, ProjectLayer], Choices]: ...
    def set_project_choices(self, project: str, layer: ProjectLayer, choices: Choices) -> None: ...
    def added_projects(self) -> list[AddedProject]: ...
    def add_project(self, added: AddedProject) -> None: ...
    def remove_project(self, name: str) -> None: ...
    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def worktree(self, conversation: int) -> Worktree | None: ...


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """Where a value comes from."""

    layer: SettingLayer
    source: SettingSource


@dataclass(frozen=True, slots=True)
class ReloadResult:
    """What came of a look at the file."""

    changed: bool
    late: tuple[str, ...]
    """Settings that wait for a restart."""


@dataclass(frozen=True, slots=True)
class PendingConfig:
    """A change of the file that counts only when an owner says so."""

    file: Settings
    differences: tuple[ConfigDifference, ...]

    @property
    def name(self) -> str:
        return fingerprint(self.file)


class Projects:
    """Holds the settings that count now; the file may be replaced while the bot runs."""

    def __init__(
        self, file: Settings, kept: ProjectStore, owned: Callable[[Settings], Sequence[ProtectedFile]] = lambda _: ()
    ) -> None:
        self._file = file
        self._read = file
        self._kept = kept
        self._owned = owned
        self.pending: PendingConfig | None = None
        """What the file says now, where that needs an owner's word and has not got it."""
        self.refused = ""
        """Why the file as it stands now is not in force; the one before it is."""
        self.dormant: dict[str, str] = {}
        """The projects that were added from Discord and can't be in force now, with the reason."""
        self.settings = file
        self._threads: dict[int, tuple[ConversationRecord, Project]] = {}
        self._settle()

    def read(self, file: Settings) -> ReloadResult:
        """Let a file as it is now count, unless that loosens what does: then it waits for an owner."""
        self._check(file)
        found = differences(self._read, file)
        if any(difference.loosens for difference in found):
            self.pending, self.refused = PendingConfig(file, found), ""
            return ReloadResult(changed=False, late=())
        return self.take_over(file)

    def take_over(self, file: Settings) -> ReloadResult:
        """Let a file count, but for what only a restart can change."""
        self._check(file)
        before = self._read
        late = [name for name in FIXED if getattr(file, name) != getattr(before, name)]
        late += [
            f"claude.{name}" for name in FIXED_FOR_CLAUDE if getattr(file.claude, name) != getattr(before.claude, name)
        ]
        fixed: dict[str, object] = {name: getattr(self._file, name) for name in FIXED}
        claude = {name: getattr(self._file.claude, name) for name in FIXED_FOR_CLAUDE}
        now = file.model_copy(update=fixed | {"claude": file.claude.model_copy(update=claude)})
        taken = ReloadResult(changed=now != self._file, late=tuple(late))
        self._read, self._file, self.refused, self.pending = file, now, "", None
        self._settle()
        return taken

    def refuse(self, reason: str) -> None:
        """Leave in force what is, and tell why."""
        self.refused, self.pending = reason, None

    def keep_out(self, conversation: int) -> None:
        """Raise ClaudeError if a thread would work where the bot's own files are."""
        project = self.in_thread(conversation)
        if project is not None and (found := find_exposure(self._owned(self._file), project_folders(project))):
            raise ClaudeError(str(found))

    def reaches(self, folder: Path) -> Exposure | None:
        """Find what of the bot's own Claude could rewrite in a folder."""
        return find_exposure(self._owned(self._file), [WorkFolder("folder", folder)])

    def _check(self, file: Settings) -> None:
        """Raise ConfigError if a file offers the bot's own files to Claude: those of now, or those that it names."""
        if found := find_exposure((*self._owned(self._file), *self._owned(file)), work_folders(file)):
            raise ConfigError(str(found))

    def in_thread(self, conversation: int) -> Project | None:
        """Find a thread's project, as it is in that thread; None where there is none any more."""
        record = self._kept.conversation(conversation)
        return self.of(record) if record else None

    def of(self, record: ConversationRecord) -> Project | None:
        """The same, for a thread that was looked up already."""
        project = self._with_own(record)
        if project is None:
            return None
        if project.isolation == "worktree" and (worktree := self._kept.worktree(record.id)):
            return project.model_copy(update={"folder": worktree.folder})
        return project

    def _with_own(self, record: ConversationRecord) -> Project | None:
        """Lay a thread's own choices over its project's; asked for with every press and message, so it is kept."""
        known = self._threads.get(record.id)
        if known is None or known[0] != record:
            if (project := self.settings.projects.get(record.project)) is None:
                return None
            known = self._threads[record.id] = (record, project.at(record.own))
        return known[1]

    def choose(self, project: str, layer: ProjectLayer, choices: Choices) -> None:
        """Keep what was chosen from Discord for a whole project."""
        self._kept.set_project_choices(project, layer, choices)
        self._settle()

    def chosen(self, project: str, layer: ProjectLayer) -> Choices:
        """What was chosen from Discord for a whole project."""
        return self._kept.project_choices().get((project, layer), Choices())

    def add(self, added: AddedProject) -> Project:
        """Add a project; the folder must be under the roots, and the channel free."""
        self.check(added)
        self._kept.add_project(added)
        self._settle()
        return self.settings.projects[added.name]

    def remove(self, name: str) -> None:
        """Forget a project that was added from Discord; its folder stays."""
        if name in self._file.projects:
            raise NotDone(f"{name} stands in the configuration file; remove it there.")
        if name not in self.settings.projects and name not in self.dormant:
            raise NotDone(f"There is no project {name}.")
        self._kept.remove_project(name)
        self._settle()

    def is_added(self, name: str) -> bool:
        return name not in self._file.projects

    def origin(self, record: ConversationRecord | None, project: str, setting: str) -> SettingOrigin | None:
        """Find where a value comes from; None where nobody chose it."""
        for origin, choices in self._layers(record, project):
            chosen = choices.chosen().get(setting)
            if chosen is not None and chosen != self._everywhere.get(setting):
                return origin
        return None

    @property
    def _everywhere(self) -> Mapping[str, object]:
        """What a project has that names nobody itself."""
        return {"talk": self._file.people, "decide": self._file.people}

    def _layers(self, record: ConversationRecord | None, project: str) -> Iterator[tuple[SettingOrigin, Choices]]:
        """Give every layer, the nearest first."""
        if record is not None:
            yield SettingOrigin("thread", "discord"), record.own
        file = self._file.projects.get(project)
        for layer in ("threads", "project"):
            yield SettingOrigin(layer, "discord"), self.chosen(project, layer)
            if file is not None:
                yield SettingOrigin(layer, "file"), file.threads if layer == "threads" else file

    def _settle(self) -> None:
        projects = dict(self._file.projects)
        self.dormant = {}
        for added in self._kept.added_projects():
            if reason := self._why_not(added, projects):
                self.dormant[added.name] = reason
            else:
                plain = Project(folder=added.folder, channels=added.channels)
                projects[added.name] = completed(added.name, plain, self._file.people, self._file.decisions)
        chosen = self._kept.project_choices()
        for name, project in projects.items():
            threads = chosen.get((name, "threads"), Choices()).over(project.threads)
            over = chosen.get((name, "project"), Choices()).over(project)
            projects[name] = project.model_copy(update=over.chosen() | {"threads": threads})
        self.settings = self._file.model_copy(update={"projects": projects})
        self._threads.clear()

    def check(self, added: AddedProject) -> None:
        """Raise NotDone if a project can't be added like this."""
        reason = self._why_not(added, self.settings.projects)
        if reason:
            raise NotDone(reason)

    def _why_not(self, added: AddedProject, beside: Mapping[str, Project]) -> str:
        """Say why a project can't be there; empty if it can."""
        name, folder = added.name, added.folder
        if not is_name(name):
            return f"A project's name is one line of up to {LONGEST_NAME} characters."
        if name in beside:
            return f"There is a project {name} already; choose another name."
        if not any(folder.is_relative_to(root) for root in self._file.roots):
            roots = ", ".join(str(root) for root in self._file.roots)
            nowhere = "The configuration names no `roots`: folders under which projects may be added."
            return f"{folder} is not under the configured roots ({roots})." if roots else nowhere
        if not is_folder(folder):
            return f"There is no folder {folder}."
        taken = next((p.name for p in beside.values() if not p.channels.isdisjoint(added.channels)), None)
        if taken:
            return f"This channel belongs to {taken} already; use another."
        return str(self.reaches(folder) or "")
