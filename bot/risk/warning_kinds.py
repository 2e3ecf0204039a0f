"""The kinds of warnings, each with the text on the card."""

from dataclasses import dataclass
from enum import Enum


class WarningKind(Enum):
    """What a warning is about, the most serious first; a warning begins with this text."""

    DELETES = "Deletes recursively"
    DISCARDS = "Throws away work"
    DESTROYS = "Deletes data or running services"
    DEVICE = "Writes to a device"
    FORCE_PUSH = "Rewrites a remote branch"
    DOWNLOAD = "Runs downloaded code"
    GENERATED = "Runs the output of another program"
    SENDS = "Sends data over the network"
    PUBLISHES = "Publishes"
    ACCESS = "Gives others access to this machine"
    OUTSIDE = "Outside the project"
    GIT = "Git configuration or hooks"
    SHELL = "Shell configuration, or programs that start by themselves"
    CI = "CI files"
    CLAUDE = "Claude's own settings"
    INSTRUCTIONS = "Instructions that Claude will follow"
    SECRET = "Secrets"  # noqa: S105 - a heading
    ADDRESS = "Unusual address"
    NEAR = "This machine or its local network"
    ELEVATES = "Elevates privileges"
    INFLUENCES = "Changes what other programs run"
    WEAKENS = "Turns off a protection"
    STOPS = "Stops running programs"
    EXHAUSTS = "Could use up this machine's resources"
    ACTS = "Code that starts programs or uses the network"
    UNKNOWN = "Can't tell in advance which program runs"
    UNREADABLE = "Could not be read completely, so it may do more"


LONGEST = 120
"""Maximum length of a warning, which is one line on a card."""


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
