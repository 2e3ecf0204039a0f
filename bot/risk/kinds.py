"""What there is to warn of."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a warning is about; its value begins the sentence."""

    DELETES = "Deletes recursively"
    DISCARDS = "Throws away work"
    DEVICE = "Writes to a device"
    FORCE_PUSH = "Rewrites a remote branch"
    DOWNLOAD = "Runs what it downloads"
    GENERATED = "Runs what another program writes"
    OUTSIDE = "Outside the project"
    GIT = "Git configuration or hooks"
    SHELL = "Shell configuration, or what runs by itself"
    CI = "CI files"
    CLAUDE = "Claude's own settings"
    SECRET = "Secrets"  # noqa: S105 - a heading
    ELEVATES = "Elevates rights"
    INFLUENCES = "Sets what other programs run"
    UNKNOWN = "Which program runs is only known when it runs"
    UNREADABLE = "Could not be read completely, so there may be more in it"


@dataclass(frozen=True, slots=True)
class Warning:  # noqa: A001 - it is one
    kind: Kind
    what: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.what}" if self.what else f"{self.kind.value}."
