"""Checks that none of the bot's own files is in a folder that Claude works in."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.config import Choices, Project, Settings

MOST_LINKS = 40  # as many as Linux itself follows
_MOUNTS = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True)
class ProtectedFile:
    """A file that decides what Claude may do: by rewriting it, Claude could avoid being asked."""

    what: str
    path: Path
    home: Path | None = None
    """A folder where it could be instead."""
    shared: Path | None = None
    """A folder inside it in which Claude may work."""


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder that Claude works in, or can be told to work in."""

    what: str
    path: Path
    kind: str = "folder"


@dataclass(frozen=True, slots=True)
class Exposure:
    """A protected file that Claude could rewrite, and how to fix that."""

    says: str
    cure: str

    def __str__(self) -> str:
        return f"{self.says} {self.cure}"


def find_exposure(owned: Sequence[ProtectedFile], works: Iterable[WorkFolder]) -> Exposure | None:
    """Return the first protected file that Claude could rewrite."""
    mounts = _mounts()
    every = (each for work in works for each in (work, *_mounts_below(work, mounts)))
    return next((found for work in every for own in owned if (found := _exposure(own, work))), None)


def _mounts_below(work: WorkFolder, mounts: Sequence[Path]) -> Iterator[WorkFolder]:
    """Yield the mount points below a folder: they lead to other folders, which the path does not show."""
    top = Path(os.path.realpath(work.path))
    yield from (replace(work, path=mount) for mount in mounts if mount != top and mount.is_relative_to(top))


def _mounts() -> Sequence[Path]:
    """Return all mount points from mountinfo, where Linux writes spaces as octal escapes."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return ()
    points = (line.split(b" ")[4] for line in lines)
    return [Path(os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), each))) for each in points]


def work_folders(settings: Settings) -> Iterator[WorkFolder]:
    """Yield every folder that the settings let Claude work in."""
    for project in settings.projects.values():
        yield from project_folders(project)
    for root in settings.roots:
        yield WorkFolder("root for new projects", root, "root")


def project_folders(project: Project) -> Iterator[WorkFolder]:
    """Yield every folder that a project lets Claude work in."""
    for layer in (project, project.threads):
        yield from _layer_folders(layer, project.name)
    for folder in _add_dir_folders(project.extra_args):
        yield WorkFolder(f"extra folder of project {project.name}", project.folder / folder)


def _layer_folders(layer: Choices, name: str) -> Iterator[WorkFolder]:
    if layer.folder is not None:
        yield WorkFolder(f"folder of project {name}", layer.folder)
    for folder in layer.extra_folders or ():
        yield WorkFolder(f"extra folder of project {name}", folder)


def _add_dir_folders(words: Sequence[str]) -> Iterator[str]:
    """Read `--add-dir` as the CLI does: it takes all words up to the next option."""
    after_add_dir = False
    for word in words:
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            after_add_dir = option == "--add-dir"
            if after_add_dir and equals:
                yield value
        elif after_add_dir:
            yield word


def _exposure(own: ProtectedFile, work: WorkFolder) -> Exposure | None:
    if _is_in(own.path, work.path):
        says = f"The {own.what} {own.path} is in the {work.what}, {work.path}, where Claude could rewrite it."
        home = own.home if own.home and not _is_in(own.home, work.path) else None
        return Exposure(
            says, f"Move it to {home}, or choose another {work.kind}." if home else f"Choose another {work.kind}."
        )
    if _is_in(work.path, own.path) and not (own.shared and _is_in(work.path, own.shared)):
        says = f"The {work.what}, {work.path}, belongs to the {own.what} {own.path}, which Claude could rewrite."
        return Exposure(says, f"Choose another {work.kind}.")
    return None


def _is_in(path: Path, folder: Path) -> bool:
    """Check whether a path, or a link on the way to it, is in a folder; compare inodes, not names."""
    try:
        wanted = folder.stat()
    except OSError:
        return any(place.is_relative_to(folder) for place in _steps(path))
    return any(
        os.path.samestat(found, wanted)
        for place in _steps(path)
        for each in (place, *place.parents)
        if (found := _status(each)) is not None
    )


def _steps(path: Path) -> Iterator[Path]:
    """Yield every link on the way to a path, then its target: replacing any of them would change the target."""
    rest = list(path.absolute().parts)
    here = Path(rest.pop(0))
    links = 0
    while rest:
        part = rest.pop(0)
        step = here.parent if part == ".." else here / part
        target = _target(step) if links < MOST_LINKS else None
        if target is None:
            here = step
            continue
        links += 1
        yield step
        here = Path(target.anchor) if target.is_absolute() else here
        rest = [*target.relative_to(target.anchor).parts, *rest]
    yield here


def _target(path: Path) -> Path | None:
    """Return the target of a link; None if it is not a link."""
    try:
        return path.readlink()
    except OSError:
        return None


def _status(path: Path) -> os.stat_result | None:
    """Return the status of the path itself, without following a link."""
    try:
        return path.lstat()
    except OSError:
        return None
