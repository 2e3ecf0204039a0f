"""Tests the mode that a process starts in: an earlier choice is ignored once the configuration forbids it."""

from pathlib import Path

import pytest

from bot.config import UNGUARDED, Choices, PermissionMode, Project
from bot.conversations.launch_options import mode


@pytest.mark.parametrize("chosen", sorted(UNGUARDED))
def test_a_mode_that_skips_permissions_needs_a_word_in_the_configuration(
    chosen: PermissionMode, tmp_path: Path
) -> None:
    guarded = Project(name="demo", folder=tmp_path, channels=(1,))
    own = Choices(permission_mode=chosen)
    assert mode(own, guarded) == "default"
    assert mode(own, guarded.model_copy(update={"allow_bypass": True})) == chosen


def test_any_other_mode_is_taken_as_chosen(tmp_path: Path) -> None:
    assert mode(Choices(permission_mode="plan"), Project(name="demo", folder=tmp_path, channels=(1,))) == "plan"
