"""Warnings about a path."""

from collections.abc import Callable, Iterator

from bot.risk import sensitive_paths
from bot.risk.project_paths import relative
from bot.risk.warning_kinds import RiskWarning, WarningKind

_CONFIGURATIONS: tuple[tuple[WarningKind, Callable[[str], bool]], ...] = (
    (WarningKind.GIT, sensitive_paths.is_git_configuration),
    (WarningKind.SHELL, sensitive_paths.is_shell_configuration),
    (WarningKind.CI, sensitive_paths.is_ci),
    (WarningKind.CLAUDE, sensitive_paths.is_claude_setting),
    (WarningKind.INSTRUCTIONS, sensitive_paths.is_instruction),
    (WarningKind.ACCESS, sensitive_paths.is_access),
    (WarningKind.INFLUENCES, sensitive_paths.is_program_setting),
)


def about_path(
    path: str, folder: str, *, changes: bool, secrets: bool = True, strict: bool = False, place: str = ""
) -> Iterator[RiskWarning]:
    """Yield warnings about a path; `place` is the folder that a command changed to, which has its own warning."""
    if len(path) > sensitive_paths.MAX_PATH:
        yield RiskWarning(WarningKind.UNREADABLE, path)
        return
    warned = bool(place) and sensitive_paths.is_outside(place, folder, strict=True) and ".." not in path[len(place) :]
    if not warned and sensitive_paths.is_outside(path, folder, changes=changes, strict=strict):
        yield RiskWarning(WarningKind.OUTSIDE, path)
    inside = relative(path, folder)  # it doesn't matter if the project itself is in ~/.claude
    if secrets and sensitive_paths.is_secret(inside):
        yield RiskWarning(WarningKind.SECRET, path)
    if changes:
        yield from (
            RiskWarning(kind, _shown(path, place, concerns)) for kind, concerns in _CONFIGURATIONS if concerns(inside)
        )


def _shown(path: str, place: str, concerns: Callable[[str], bool]) -> str:
    return place if place and concerns(place) else path
