"""What to warn of when a path is named."""

from collections.abc import Callable, Iterator

from bot.risk import sensitive_paths
from bot.risk.project_paths import relative
from bot.risk.warning_kinds import Kind, Warning  # noqa: A004 - it is one

_CONFIGURATIONS: tuple[tuple[Kind, Callable[[str], bool]], ...] = (
    (Kind.GIT, sensitive_paths.is_git_configuration),
    (Kind.SHELL, sensitive_paths.is_shell_configuration),
    (Kind.CI, sensitive_paths.is_ci),
    (Kind.CLAUDE, sensitive_paths.is_claude_setting),
    (Kind.INSTRUCTIONS, sensitive_paths.is_instruction),
    (Kind.ACCESS, sensitive_paths.is_access),
    (Kind.INFLUENCES, sensitive_paths.is_program_setting),
)


def about_path(
    path: str, folder: str, *, changes: bool, secrets: bool = True, strict: bool = False, place: str = ""
) -> Iterator[Warning]:
    """Judge a path; `place` is the folder that a command went into first: what lies there is told once, by it."""
    if len(path) > sensitive_paths.LONGEST_OF_ALL:
        yield Warning(Kind.UNREADABLE, path)
        return
    told = bool(place) and sensitive_paths.is_outside(place, folder, strict=True) and ".." not in path[len(place) :]
    if not told and sensitive_paths.is_outside(path, folder, changes=changes, strict=strict):
        yield Warning(Kind.OUTSIDE, path)
    inside = relative(path, folder)  # that the project itself stands in ~/.claude says nothing
    if secrets and sensitive_paths.is_secret(inside):
        yield Warning(Kind.SECRET, path)
    if changes:
        yield from (
            Warning(kind, _shown(path, place, concerns)) for kind, concerns in _CONFIGURATIONS if concerns(inside)
        )


def _shown(path: str, place: str, concerns: Callable[[str], bool]) -> str:
    return place if place and concerns(place) else path
