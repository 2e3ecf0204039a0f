"""What there is to warn of."""

from dataclasses import dataclass
from enum import Enum


class WarningKind(Enum):
    """What a warning is about; its value begins the sentence, the gravest stands first."""

    DELETES = "Deletes recursively"
    DISCARDS = "Throws away work"
    DESTROYS = "Deletes data or what runs somewhere"
    DEVICE = "Writes to a device"
    FORCE_PUSH = "Rewrites a remote branch"
    DOWNLOAD = "Runs what it downloads"
    GENERATED = "Runs what another program writes"
    SENDS = "Sends data away"
    PUBLISHES = "Publishes"
    ACCESS = "Opens this machine to others"
    OUTSIDE = "Outside the project"
    GIT = "Git configuration or hooks"
    SHELL = "Shell configuration, or what runs by itself"
    CI = "CI files"
    CLAUDE = "Claude's own settings"
    INSTRUCTIONS = "Instructions that Claude will follow"
    SECRET = "Secrets"  # noqa: S105 - a heading
    ADDRESS = "Not an ordinary address"
    NEAR = "This machine or its own network"
    ELEVATES = "Elevates rights"
    INFLUENCES = "Sets what other programs run"
    WEAKENS = "Turns a protection off"
    STOPS = "Stops what is running"
    EXHAUSTS = "Could use up the machine"
    ACTS = "Code that starts programs or uses the network"
    UNKNOWN = "Which program runs is only known when it runs"
    UNREADABLE = "Could not be read completely, so there may be more in it"


LONGEST = 120
"""Characters of a warning: it is one line on a card."""


@dataclass(frozen=True, slots=True)
class RiskWarning:
    kind: WarningKind
    what: str = ""

    def __str__(self) -> str:
        if not self.what:
            return f"{self.kind.value}."
        room = LONGEST - len(self.kind.value) - 2
        what = " ".join(self.what.split())
        return f"{self.kind.value}: {what if len(what) <= room else what[: room - 1] + '…'}"
