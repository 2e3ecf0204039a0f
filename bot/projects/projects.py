"""The projects with their current settings: the file's, and those changed or added from Discord."""

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
"""Where a setting is set: in the thread, in the project for its threads, in the project."""
ProjectLayer = Literal["threads", "project"]
SettingSource = Literal["file", "discord"]

FIXED = ("state", "port", "keep_days", "discord_api", "log_format")
"""Settings that need a restart to change."""
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
    """The git worktree of a thread, on its own branch."""

    conversation: int
    repository: Path
    """The repository that it was created from."""
    path: Path
    folder: Path
    """The folder that Claude works in: at the same path in the worktree as the project's folder in the repository."""
    branch: str
    base: str
    """The branch to merge it into; a commit if the repository was on no branch."""
    fork: str
    """The commit that it was created from."""
    created_at: float
    spared: str = ""
    """The mark of the state in which someone chose to keep it when the thread was archived."""


class ProjectStore(Protocol):
    """Stores projects and settings from Discord."""

    def project_choices(self) -> Mapping[tuple[str, ProjectLayer], Choices]: ...
    def set_project_choices(self, project: str, layer: ProjectLayer, choices: Choices) -> None: ...
    def added_projects(self) -> list[AddedProject]: ...
    def add_project(self, added: AddedProject) -> None: ...
    def remove_project(self, name: str) -> None: ...
    def conversation(self, conversation: int) -> ConversationRecord | None: ...
    def worktree(self, conversation: int) -> Worktree | None: ...


@dataclass(frozen=True, slots=True)
class SettingOrigin:
    """Where the value of a setting comes from."""

    layer: SettingLayer
    source: SettingSource


@dataclass(frozen=True, slots=True)
class ReloadResult:
    """The result of reading the file."""

    changed: bool
    late: tuple[str, ...]
    """Settings that take effect after a restart."""


@dataclass(frozen=True, slots=True)
class PendingConfig:
    """A change of the file that needs an owner's approval."""

    file: Settings
    differences: tuple[ConfigDifference, ...]

    @property
    def name(self) -> str:
        return fingerprint(self.file)


class Projects:
    """Holds the current settings; the file may change while the bot runs."""

    def __init__(
        self, file: Settings, kept: ProjectStore, owned: Callable[[Settings], Sequence[ProtectedFile]] = lambda _: ()
    ) -> None:
        self._file = file
        self._read = file
        self._kept = kept
        self._owned = owned
        self.pending: PendingConfig | None = None
        """The change of the file that waits for an owner's approval."""
        self.refused = ""
        """Why the file can't be used; the previous settings stay in effect."""
        self.dormant: dict[str, str] = {}
        """The projects added from Discord that can't be used now, each with the reason."""
        self.settings = file
        self._threads: dict[int, tuple[ConversationRecord, Project]] = {}
        self._apply()

    def read(self, file: Settings) -> ReloadResult:
        """Apply a changed file, unless it grants more access: then it waits for an owner's approval."""
        self._check(file)
        found = differences(self._read, file)
        if any(difference.loosens for difference in found):
            self.pending, self.refused = PendingConfig(file, found), ""
            return ReloadResult(changed=False, late=())
        return self.take_over(file)

    def take_over(self, file: Settings) -> ReloadResult:
        """Apply a changed file, except for settings that need a restart."""
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
        self._apply()
        return taken

    def refuse(self, reason: str) -> None:
        """Keep the current settings and remember why the file can't be used."""
        self.refused, self.pending = reason, None

    def keep_out(self, conversation: int) -> None:
        """Raise ClaudeError if a thread's folder would let Claude rewrite the bot's own files."""
        project = self.in_thread(conversation)
        if project is not None and (found := find_exposure(self._owned(self._file), project_folders(project))):
            raise ClaudeError(str(found))

    def reaches(self, folder: Path) -> Exposure | None:
        """Find one of the bot's own files that Claude could rewrite in a folder."""
        return find_exposure(self._owned(self._file), [WorkFolder("folder", folder)])

    def _check(self, file: Settings) -> None:
        """Raise ConfigError if a file lets Claude rewrite the bot's own files: the current ones, or the file's."""
        if found := find_exposure((*self._owned(self._file), *self._owned(file)), work_folders(file)):
            raise ConfigError(str(found))

    def in_thread(self, conversation: int) -> Project | None:
        """Return the project with the settings of a thread; None if it no longer exists."""
        record = self._kept.conversation(conversation)
        return self.of(record) if record else None

    def of(self, record: ConversationRecord) -> Project | None:
        """Return the project with the settings of a thread whose record is known."""
        project = self._merged_settings(record)
        if project is None:
            return None
        if project.isolation == "worktree" and (worktree := self._kept.worktree(record.id)):
            return project.model_copy(update={"folder": worktree.folder})
        return project

    def _merged_settings(self, record: ConversationRecord) -> Project | None:
        """Merge a thread's choices with its project; cached, because every click and message needs it."""
        known = self._threads.get(record.id)
        if known is None or known[0] != record:
            if (project := self.settings.projects.get(record.project)) is None:
                return None
            known = self._threads[record.id] = (record, project.at(record.own))
        return known[1]

    def choose(self, project: str, layer: ProjectLayer, choices: Choices) -> None:
        """Store the choices made in Discord for a whole project."""
        self._kept.set_project_choices(project, layer, choices)
        self._apply()

    def chosen(self, project: str, layer: ProjectLayer) -> Choices:
        """Return the choices made in Discord for a whole project."""
        return self._kept.project_choices().get((project, layer), Choices())

    def add(self, added: AddedProject) -> Project:
        """Add a project; raise NotDone unless its folder is under the roots and its channels are free."""
        self.check(added)
        self._kept.add_project(added)
        self._apply()
        return self.settings.projects[added.name]

    def remove(self, name: str) -> None:
        """Forget a project that was added from Discord; its folder stays."""
        if name in self._file.projects:
            raise NotDone(f"{name} is in the configuration file. Remove it there.")
        if name not in self.settings.projects and name not in self.dormant:
            raise NotDone(f"There is no project {name}.")
        self._kept.remove_project(name)
        self._apply()

    def is_added(self, name: str) -> bool:
        return name not in self._file.projects

    def origin(self, record: ConversationRecord | None, project: str, setting: str) -> SettingOrigin | None:
        """Find where a value comes from; None if it is a default."""
        for origin, choices in self._layers(record, project):
            chosen = choices.chosen().get(setting)
            if chosen is not None and chosen != self._default_people.get(setting):
                return origin
        return None

    @property
    def _default_people(self) -> Mapping[str, object]:
        """The people of a project that names none itself."""
        return {"talk": self._file.people, "decide": self._file.people}

    def _layers(self, record: ConversationRecord | None, project: str) -> Iterator[tuple[SettingOrigin, Choices]]:
        """Yield every layer, the one that takes precedence first."""
        if record is not None:
            yield SettingOrigin("thread", "discord"), record.own
        file = self._file.projects.get(project)
        for layer in ("threads", "project"):
            yield SettingOrigin(layer, "discord"), self.chosen(project, layer)
            if file is not None:
                yield SettingOrigin(layer, "file"), file.threads if layer == "threads" else file

    def _apply(self) -> None:
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
        """Say why a project can't be added; empty if it can."""
        name, folder = added.name, added.folder
        if not is_name(name):
            return f"A project's name must be one line of up to {LONGEST_NAME} characters."
        if name in beside:
            return f"There is already a project {name}. Choose another name."
        if not any(folder.is_relative_to(root) for root in self._file.roots):
            roots = ", ".join(str(root) for root in self._file.roots)
            nowhere = "No folder for new projects is configured. Add one to `roots` in the configuration."
            return f"{folder} is not under the configured roots ({roots})." if roots else nowhere
        if not is_folder(folder):
            return f"There is no folder {folder}. Create it or correct the path."
        taken = next((p.name for p in beside.values() if not p.channels.isdisjoint(added.channels)), None)
        if taken:
            return f"This channel already belongs to {taken}. Use another one."
        return str(self.reaches(folder) or "")
