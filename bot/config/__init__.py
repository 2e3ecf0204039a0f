"""The settings in `claude-discord.toml` and the bot's token, read and checked."""

from bot.config import confirmed_configs
from bot.config.bot_token import TOKEN_VARIABLE, secret
from bot.config.config_diff import ConfigDifference, differences, fingerprint
from bot.config.decision_settings import ApprovalSettings
from bot.config.file import FILE_NAME, InvalidConfig, check, completed, glimpse, load, state_of, users_file
from bot.config.layers import Choices
from bot.config.people import People, Person
from bot.config.settings import APP, ClaudeSettings, Project, Settings
from bot.config.toml import Mistake
from bot.config.values import UNGUARDED, Effort, Isolation, Mention, PermissionMode, Snowflake, Style

__all__ = [
    "APP",
    "FILE_NAME",
    "TOKEN_VARIABLE",
    "UNGUARDED",
    "ApprovalSettings",
    "Choices",
    "ClaudeSettings",
    "ConfigDifference",
    "Effort",
    "InvalidConfig",
    "Isolation",
    "Mention",
    "Mistake",
    "People",
    "PermissionMode",
    "Person",
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
