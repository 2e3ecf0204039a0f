"""The bot's own files, and the folders in which Claude works: none of the first may lie in one of the second."""

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
    """Something that decides what Claude may do: whoever rewrites it is asked nothing any more."""

    what: str
    path: Path
    home: Path | None = None
    """Where it could lie instead."""
    shared: Path | None = None
    """The part of it in which Claude may work all the same."""


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder in which Claude works, or can be told to."""

    what: str
    path: Path
    kind: str = "folder"


@dataclass(frozen=True, slots=True)
class Exposure:
    """What Claude could rewrite, and the way out."""

    says: str
    cure: str

    def __str__(self) -> str:
        return f"{self.says} {self.cure}"


def find_exposure(owned: Sequence[ProtectedFile], works: Iterable[WorkFolder]) -> Exposure | None:
    """Find the first of the bot's own files that Claude could rewrite."""
    mounts = _mounts()
    every = (each for work in works for each in (work, *_mounts_below(work, mounts)))
    return next((found for work in every for own in owned if (found := _exposure(own, work))), None)


def _mounts_below(work: WorkFolder, mounts: Sequence[Path]) -> Iterator[WorkFolder]:
    """Give what is mounted below a folder: another folder, reached through this one, that no path tells of."""
    top = Path(os.path.realpath(work.path))
    yield from (replace(work, path=mount) for mount in mounts if mount != top and mount.is_relative_to(top))


def _mounts() -> Sequence[Path]:
    """Find where something is mounted, as Linux tells it; its blanks are written in octal digits."""
    try:
        lines = _MOUNTS.read_bytes().splitlines()
    except OSError:
        return ()
    points = (line.split(b" ")[4] for line in lines)
    return [Path(os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), each))) for each in points]


def work_folders(settings: Settings) -> Iterator[WorkFolder]:
    """Give every folder that the settings offer to Claude."""
    for project in settings.projects.values():
        yield from project_folders(project)
    for root in settings.roots:
        yield WorkFolder("root for new projects", root, "root")


def project_folders(project: Project) -> Iterator[WorkFolder]:
    """Give every folder that a project offers to Claude."""
    for layer in (project, project.threads):
        yield from _chosen(layer, project.name)
    for folder in _added_by_arguments(project.extra_args):
        yield WorkFolder(f"extra folder of project {project.name}", project.folder / folder)


def _chosen(layer: Choices, name: str) -> Iterator[WorkFolder]:
    if layer.folder is not None:
        yield WorkFolder(f"folder of project {name}", layer.folder)
    for folder in layer.extra_folders or ():
        yield WorkFolder(f"extra folder of project {name}", folder)


def _added_by_arguments(words: Sequence[str]) -> Iterator[str]:
    """Read `--add-dir` as the CLI does: it takes all words up to the next option."""
    taking = False
    for word in words:
        if word.startswith("-"):
            option, equals, value = word.partition("=")
            taking = option == "--add-dir"
            if taking and equals:
                yield value
        elif taking:
            yield word


def _exposure(own: ProtectedFile, work: WorkFolder) -> Exposure | None:
    if _lies_in(own.path, work.path):
        says = f"The {own.what} {own.path} lies in the {work.what}, {work.path}, where Claude could rewrite it."
        home = own.home if own.home and not _lies_in(own.home, work.path) else None
        return Exposure(
            says, f"Move it to {home}, or choose another {work.kind}." if home else f"Choose another {work.kind}."
        )
    if _lies_in(work.path, own.path) and not (own.shared and _lies_in(work.path, own.shared)):
        says = f"The {work.what}, {work.path}, belongs to the {own.what} {own.path}, which Claude could rewrite."
        return Exposure(says, f"Choose another {work.kind}.")
    return None


def _lies_in(path: Path, folder: Path) -> bool:
    """Whether any step on the way to a path lies in a folder; told by what the folder is, not how it is written."""
    try:
        wanted = folder.stat()
    except OSError:
        return any(place.is_relative_to(folder) for place in _way(path))
    return any(
        os.path.samestat(found, wanted)
        for place in _way(path)
        for each in (place, *place.parents)
        if (found := _status(each)) is not None
    )


def _way(path: Path) -> Iterator[Path]:
    """Give every link that is followed on the way to a path, and where it ends: who replaces one leads it elsewhere."""
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
    """Say where a link leads; None where there is none to read."""
    try:
        return path.readlink()
    except OSError:
        return None


def _status(path: Path) -> os.stat_result | None:
    """Look at a path itself: a link is not where it leads."""
    try:
        return path.lstat()
    except OSError:
        return None
