"""Follows a path step by step as Claude would, but never out of the folders that Claude may read without asking."""

import errno
import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

MAX_LINKS = 40  # the limit of Linux
_STEP = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: if the file has become a pipe in between, opening it must not wait for a writer.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOUNTS = Path("/proc/self/mountinfo")
_SPECIAL = frozenset(
    {
        *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs"),
        *("fusectl", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs"),
    }
)
"""File systems with no real files: the kernel makes up their content, often per process."""


@dataclass(frozen=True, slots=True)
class FollowedPath:
    """The end of a path."""

    path: str
    """The path with its links resolved, as far as they stay in the folders."""
    root: str = ""
    """The folder that it is in; empty if it leads out of all of them."""
    exists: bool = False
    """Always False outside the folders."""
    file: int | None = None
    """The opened file; None if there is none, or if it is a folder, a pipe or a device."""

    @property
    def inside(self) -> str:
        return posixpath.relpath(self.path, self.root)


class _Left(Exception):  # noqa: N818 - what happened
    """The path leads out of the folders."""


@contextmanager
def follow(path: str, folder: Path, others: Sequence[Path] = ()) -> Iterator[FollowedPath]:
    """Follow a path, relative to a folder, to its end; the file is open inside the block.

    The opened file is the checked one: each step starts from the open folder before it, and none goes through a link.
    A hard link is the file itself, for Claude as for us: nothing tells which of its names is the real one.
    """
    walk = _Walk([(str(root), posixpath.realpath(root)) for root in (folder, *others)])
    with ExitStack() as opened:
        opened.callback(walk.close)
        try:
            found = walk.to(absolute(path, folder))
        except _Left as left:
            found = FollowedPath(str(left))
        if found.file is not None:
            opened.callback(os.close, found.file)
        yield found


def absolute(path: str, folder: Path) -> str:
    """Make a path absolute without following links."""
    return "/" + posixpath.normpath(posixpath.join(str(folder), path)).lstrip("/")


class _Walk:
    """Keeps one folder open at a time; after a `..`, the parent is recognized by its device and inode."""

    def __init__(self, roots: list[tuple[str, str]]) -> None:
        self._roots = roots
        self._root = ""
        self._names: list[str] = []
        """The names on the way from the root, without links."""
        self._identities: list[tuple[int, int]] = []
        """Device and inode of the root and of each folder on the way."""
        self._here = -1
        self._special = _special_devices()

    def close(self) -> None:
        if self._here >= 0:
            os.close(self._here)
            self._here = -1

    def to(self, path: str) -> FollowedPath:
        """Walk to the end of a path; raise _Left if it leads out, and OSError if it can't be followed."""
        links = 0
        left = self._enter(path)
        while left:
            name = left.pop()
            if name == "..":
                left = self._to_parent(left)
                continue
            try:
                status = os.stat(name, dir_fd=self._here, follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                return self._end(name, left)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target = os.readlink(name, dir_fd=self._here)
                if target.startswith("/"):
                    left = self._enter(posixpath.join(target, *reversed(left)))
                else:
                    left += _names(target)
            elif stat.S_ISDIR(status.st_mode):
                self._identities.append(self._open_folder(name))
                self._names.append(name)
                if self._identities[-1][0] in self._special:
                    raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
            elif left:  # a file where a folder should be
                return self._end(name, left)
            else:
                return self._open(name, status)
        return replace(self._end("", []), exists=True)

    def _enter(self, path: str) -> list[str]:
        """Start at the root that an absolute path is in; return the remaining names, the next one last."""
        for root in self._roots:
            for start in root:
                if path == start or path.startswith(start.rstrip("/") + "/"):
                    self.close()
                    self._here = os.open("/", _STEP)
                    self._root, self._names, self._identities = root[1], [], [self._open_folder(".")]
                    for name in reversed(_names(root[1])):  # just resolved, so none of them is a link
                        self._identities = [self._open_folder(name)]
                    return _names(path[len(start) :])
        raise _Left(path)

    def _open_folder(self, name: str) -> tuple[int, int]:
        folder = os.open(name, _STEP, dir_fd=self._here)
        os.close(self._here)
        self._here = folder
        status = os.fstat(folder)
        return status.st_dev, status.st_ino

    def _to_parent(self, left: list[str]) -> list[str]:
        if not self._names:
            return self._enter(posixpath.join(posixpath.dirname(self._root), *reversed(left)))
        self._names.pop()
        self._identities.pop()
        if self._open_folder("..") != self._identities[-1]:  # it was moved in between
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return left

    def _open(self, name: str, status: os.stat_result) -> FollowedPath:
        """Open a file, but only if it is a regular file before and after opening it."""
        file = None
        if stat.S_ISREG(status.st_mode) and status.st_dev not in self._special:
            file = os.open(name, _READ, dir_fd=self._here)
            opened = os.fstat(file)
            if not stat.S_ISREG(opened.st_mode) or opened.st_dev in self._special:
                os.close(file)
                file = None
        return replace(self._end(name, []), exists=True, file=file)

    def _end(self, name: str, left: list[str]) -> FollowedPath:
        rest = filter(None, (name, *reversed(left)))
        path = posixpath.normpath(posixpath.join(self._root, *self._names, *rest))
        if path != self._root and not path.startswith(self._root.rstrip("/") + "/"):  # by a `..` after a missing folder
            raise _Left(path)
        return FollowedPath(path, self._root)


def _names(path: str) -> list[str]:
    """Split a path into names, the first one last."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _special_devices() -> frozenset[int]:
    """Return the devices of all mounted special file systems, even those mounted in a project's folder."""
    found = set()
    with suppress(OSError):  # macOS has no mountinfo, and only /dev
        for line in _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
            mount, _, source = line.partition(" - ")
            if source.split(" ", 1)[0] in _SPECIAL:
                major, _, minor = mount.split(" ")[2].partition(":")
                found.add(os.makedev(int(major), int(minor)))
    return frozenset(found)
