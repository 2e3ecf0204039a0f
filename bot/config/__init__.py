"""Settings from `claude-discord.toml` and secrets from the environment, checked as a whole."""

from bot.config import confirmed_configs
from bot.config.approval_settings import Decisions
from bot.config.bot_token import TOKEN_VARIABLE, secret
from bot.config.config_diff import Difference, differences, fingerprint
from bot.config.file import FILE_NAME, Mistaken, check, completed, glimpse, load, state_of, users_file
from bot.config.layers import Choices, People
from bot.config.settings import APP, Claude, Project, Settings
from bot.config.toml import Mistake
from bot.config.values import UNGUARDED, Effort, Isolation, Mention, PermissionMode, Snowflake, Style

__all__ = [
    "APP",
    "FILE_NAME",
    "TOKEN_VARIABLE",
    "UNGUARDED",
    "Choices",
    "Claude",
    "Decisions",
    "Difference",
    "Effort",
    "Isolation",
    "Mention",
    "Mistake",
    "Mistaken",
    "People",
    "PermissionMode",
    "Project",
    "Settings",
    "Snowflake",
    "Style",
    "check",
    "completed",
    "confirmed_configs",
    "differences",
    "fingerprint",
    "glimpse",
    "load",
    "secret",
    "state_of",
    "users_file",
]
