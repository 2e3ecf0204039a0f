"""What to warn of when a path is named."""

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
    """Judge a path; `place` is the folder that a command went into first: what lies there is told once, by it."""
    if len(path) > sensitive_paths.LONGEST_OF_ALL:
        yield RiskWarning(WarningKind.UNREADABLE, path)
        return
    told = bool(place) and sensitive_paths.is_outside(place, folder, strict=True) and ".." not in path[len(place) :]
    if not told and sensitive_paths.is_outside(path, folder, changes=changes, strict=strict):
        yield RiskWarning(WarningKind.OUTSIDE, path)
    inside = relative(path, folder)  # that the project itself stands in ~/.claude says nothing
    if secrets and sensitive_paths.is_secret(inside):
        yield RiskWarning(WarningKind.SECRET, path)
    if changes:
        yield from (
            RiskWarning(kind, _shown(path, place, concerns)) for kind, concerns in _CONFIGURATIONS if concerns(inside)
        )


def _shown(path: str, place: str, concerns: Callable[[str], bool]) -> str:
    return place if place and concerns(place) else path
