"""Paths as seen from a project's folder."""

import posixpath


def relative(path: str, folder: str) -> str:
    """Write a path as seen from the project, if it is inside it."""
    if not posixpath.isabs(path):
        return path
    inside = is_inside(path, folder)
    return posixpath.relpath(posixpath.normpath(path), posixpath.normpath(folder)) if inside else path


def is_inside(path: str, folder: str) -> bool:
    """Whether a path, read as written from `folder`, stays in it; links are not followed."""
    root = posixpath.normpath(folder)
    whole = posixpath.normpath(posixpath.join(root, path))
    return whole == root or whole.startswith(root.rstrip("/") + "/")
