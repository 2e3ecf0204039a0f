"""What holds the promises, and how to take each of it away: a checker that never complains has proved nothing."""

from collections.abc import Callable

MECHANISMS: dict[str, Callable[[], None]] = {}


def switch_off(mechanism: str) -> None:
    """Have this process's bots do without one of the mechanisms; an empty name leaves all as it is."""
    if mechanism:
        MECHANISMS[mechanism]()
