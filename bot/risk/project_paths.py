"""Paths relative to the folder of a project."""

import posixpath


def relative(path: str, folder: str) -> str:
    """Return a path relative to the project if it is inside; otherwise the path itself."""
    if not posixpath.isabs(path):
        return path
    inside = is_inside(path, folder)
    return posixpath.relpath(posixpath.normpath(path), posixpath.normpath(folder)) if inside else path


def is_inside(path: str, folder: str) -> bool:
    """Check whether a path, relative to `folder`, stays inside it; links are not followed."""
    root = posixpath.normpath(folder)
    whole = posixpath.normpath(posixpath.join(root, path))
    return whole == root or whole.startswith(root.rstrip("/") + "/")
