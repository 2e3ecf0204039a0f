"""Tests that the example configuration has every setting, and that each of its lines is valid."""

import re
from pathlib import Path

from pydantic import BaseModel

from bot import config
from bot.config import ApprovalSettings, Choices, ClaudeSettings, Project, Settings, toml

EXAMPLE = Path(__file__).parents[3] / "claude-discord.example.toml"
INTERNAL = {"name", "discord_api"}


def text() -> str:
    """Return the example with every commented-out setting active."""
    lines = [re.sub(r"^# (?=\[|\w+ = )", "", line) for line in EXAMPLE.read_text().splitlines()]
    return "\n".join(lines).replace('"~/code', '"./code')


def test_every_line_of_it_is_right(tmp_path: Path) -> None:
    for folder in ("demo", "shared"):
        (tmp_path / "code" / folder).mkdir(parents=True)
    path = tmp_path / "claude-discord.toml"
    path.write_text(text())
    settings = config.load(path)
    assert settings.projects["demo"].isolation == "worktree"
    path.write_text(EXAMPLE.read_text().replace('"~/code', '"./code'))
    assert config.load(path).projects["demo"].isolation is None, "as it stands it chooses next to nothing"


def test_every_setting_is_in_it() -> None:
    raw = toml.read(text()).raw
    sections: list[tuple[object, type[BaseModel]]] = [
        (raw, Settings),
        (raw["projects"]["demo"], Project),
        (raw["projects"]["demo"], Choices),
        (raw["decisions"], ApprovalSettings),
        (raw["claude"], ClaudeSettings),
    ]
    for section, model in sections:
        assert isinstance(section, dict)
        assert not set(model.model_fields) - set(section) - INTERNAL
