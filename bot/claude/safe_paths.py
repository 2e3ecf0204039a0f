"""A path followed step by step, as Claude would follow it, and never out of the folders that Claude reads unasked."""

import errno
import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

MOST_LINKS = 40  # as Linux has it
_STEP = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: should a file have become a pipe meanwhile, opening it must not wait for its writer.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOUNTS = Path("/proc/self/mountinfo")
_SPECIAL = frozenset(
    {
        *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs"),
        *("fusectl", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs"),
    }
)
"""File systems that hold no files but what the kernel says, to each process something else."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Where a path ends."""

    path: str
    """Its links followed, as far as the folders go."""
    root: str = ""
    """The folder that it ends in; empty where it leads out of all of them."""
    exists: bool = False
    """Known only inside the folders."""
    file: int | None = None
    """The opened file; None where there is none, or none that is read: a folder, a pipe, a device."""

    @property
    def inside(self) -> str:
        return posixpath.relpath(self.path, self.root)


class _Left(Exception):  # noqa: N818 - what happened
    """The path leads out of the folders."""


@contextmanager
def reached(path: str, folder: Path, others: Sequence[Path] = ()) -> Iterator[Reached]:
    """Follow a path, seen from a folder, to its end; the file that is found is open inside the block.

    What is opened is what was checked: each step is taken from the folder before it, and none through a link. A hard
    link is the file itself, for Claude as for us: nothing can tell which of its names was meant to be the real one.
    """
    walk = _Walk([(str(root), posixpath.realpath(root)) for root in (folder, *others)])
    with ExitStack() as opened:
        opened.callback(walk.close)
        try:
            found = walk.to(written(path, folder))
        except _Left as left:
            found = Reached(str(left))
        if found.file is not None:
            opened.callback(os.close, found.file)
        yield found


def written(path: str, folder: Path) -> str:
    """Write a path in full, its links not followed."""
    return "/" + posixpath.normpath(posixpath.join(str(folder), path)).lstrip("/")


class _Walk:
    """One folder is open at a time; the others on the way are known again by what they are, should it lead back."""

    def __init__(self, roots: list[tuple[str, str]]) -> None:
        self._roots = roots
        self._root = ""
        self._names: list[str] = []
        """The way from the root, without links."""
        self._passed: list[tuple[int, int]] = []
        """The root, and each folder on the way."""
        self._here = -1
        self._special = _special_devices()

    def close(self) -> None:
        if self._here >= 0:
            os.close(self._here)
            self._here = -1

    def to(self, path: str) -> Reached:
        """Walk to the end of a path; raises _Left where it leads out, and OSError where nothing can be said."""
        links = 0
        left = self._enter(path)
        while left:
            name = left.pop()
            if name == "..":
                left = self._back(left)
                continue
            try:
                status = os.stat(name, dir_fd=self._here, follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                return self._end(name, left)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target = os.readlink(name, dir_fd=self._here)
                if target.startswith("/"):
                    left = self._enter(posixpath.join(target, *reversed(left)))
                else:
                    left += _names(target)
            elif stat.S_ISDIR(status.st_mode):
                self._passed.append(self._go(name))
                self._names.append(name)
                if self._passed[-1][0] in self._special:
                    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
            elif left:  # a file is no folder
                return self._end(name, left)
            else:
                return self._open(name, status)
        return replace(self._end("", []), exists=True)

    def _enter(self, path: str) -> list[str]:
        """Begin at the folder in which an absolute path lies; gives the names that are left, the next one last."""
        for root in self._roots:
            for start in root:
                if path == start or path.startswith(start.rstrip("/") + "/"):
                    self.close()
                    self._here = os.open("/", _STEP)
                    self._root, self._names, self._passed = root[1], [], [self._go(".")]
                    for name in reversed(_names(root[1])):  # resolved just now, so none of them is a link
                        self._passed = [self._go(name)]
                    return _names(path[len(start) :])
        raise _Left(path)

    def _go(self, name: str) -> tuple[int, int]:
        folder = os.open(name, _STEP, dir_fd=self._here)
        os.close(self._here)
        self._here = folder
        status = os.fstat(folder)
        return status.st_dev, status.st_ino

    def _back(self, left: list[str]) -> list[str]:
        if not self._names:
            return self._enter(posixpath.join(posixpath.dirname(self._root), *reversed(left)))
        self._names.pop()
        self._passed.pop()
        if self._go("..") != self._passed[-1]:  # moved elsewhere meanwhile
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return left

    def _open(self, name: str, status: os.stat_result) -> Reached:
        """Open a file: only one that is a plain file, before and after."""
        file = None
        if stat.S_ISREG(status.st_mode) and status.st_dev not in self._special:
            file = os.open(name, _READ, dir_fd=self._here)
            opened = os.fstat(file)
            if not stat.S_ISREG(opened.st_mode) or opened.st_dev in self._special:
                os.close(file)
                file = None
        return replace(self._end(name, []), exists=True, file=file)

    def _end(self, name: str, left: list[str]) -> Reached:
        rest = filter(None, (name, *reversed(left)))
        path = posixpath.normpath(posixpath.join(self._root, *self._names, *rest))
        if path != self._root and not path.startswith(self._root.rstrip("/") + "/"):  # by a `..` behind what is missing
            raise _Left(path)
        return Reached(path, self._root)


def _names(path: str) -> list[str]:
    """Take a path apart, the first name last."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _special_devices() -> frozenset[int]:
    """Find the devices of the file systems that are none; wherever they are mounted, a project's folder included."""
    found = set()
    with suppress(OSError):  # not on a Mac, which has none but /dev
        for line in _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
            mount, _, source = line.partition(" - ")
            if source.split(" ", 1)[0] in _SPECIAL:
                major, _, minor = mount.split(" ")[2].partition(":")
                found.add(os.makedev(int(major), int(minor)))
    return frozenset(found)
