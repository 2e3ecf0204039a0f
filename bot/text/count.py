"""A number with its noun, such as `1 file` or `3 files`."""


def count(number: int, one: str, several: str = "") -> str:
    """Return the number with its noun; `several` is the plural if it is not formed with an s."""
    return f"{number} {one if number == 1 else several or one + 's'}"
