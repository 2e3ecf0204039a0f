"""What belongs to the bot on this machine: Claude must not be able to rewrite it."""

import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import platformdirs

import bot
import shared
from bot import config
from bot.config import Settings
from bot.projects.protected_files import Own, Within, places, within
from bot.setup import service


def own_files(settings: Settings, file: Path | None) -> tuple[Own, ...]:
    """Give everything that decides what Claude may do, or is run unasked."""
    return tuple(_own_files(settings, file))


def within_reach(settings: Settings, file: Path | None) -> Within | None:
    """Find what of it Claude could rewrite."""
    return within(own_files(settings, file), places(settings))


def _own_files(settings: Settings, file: Path | None) -> Iterator[Own]:
    home = Path(platformdirs.user_config_dir(config.APP))
    state = Path(platformdirs.user_state_dir(config.APP))
    if file is not None:
        yield Own("configuration", file, home)
        yield Own("secret file", file.parent / ".env", home)
    yield Own("state folder", settings.state, state, settings.state / "worktrees")
    yield Own("list of confirmed configurations", config.confirmed_configs.folder())
    yield from installation()
    yield from _programs("program", settings.claude.command, settings)
    yield from _programs("transcriber", settings.transcriber, settings)


def _programs(what: str, words: Sequence[str], settings: Settings) -> Iterator[Own]:
    """Give what a command runs: the program, and any file that it is told to run."""
    if words and "/" not in words[0] and (found := shutil.which(words[0])):
        yield Own(what, Path(found))
    for word in words:
        if "/" in word:  # in full, or below the folder that it is started in
            paths = {project.folder / word for project in settings.projects.values()}
            yield from (Own(what, path) for path in sorted(paths) if path.is_file())


def installation() -> Iterator[Own]:
    """Give the program itself, and what it is run with."""
    packages = [*bot.__path__, *(str(Path(each).parent / "permission_mcp") for each in bot.__path__), *shared.__path__]
    yield from (Own("installation", Path(each)) for each in packages)
    for folder in (*_libraries(), sys.executable):
        yield Own("installation", Path(folder))
    yield Own("service", service.place("launchd" if sys.platform == "darwin" else "systemd"))


def _libraries() -> Sequence[str]:
    """Where what is imported comes from: the virtual environment, or without one the system's packages."""
    if sys.prefix != sys.base_prefix:
        return [sys.prefix]
    return sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
