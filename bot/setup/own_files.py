"""Lists the bot's own files on this machine, which Claude must not be able to rewrite."""

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
from bot.projects.protected_files import Exposure, ProtectedFile, find_exposure, work_folders
from bot.setup import service


def own_files(settings: Settings, file: Path | None) -> tuple[ProtectedFile, ...]:
    """Return every file that decides what Claude may do, or that is run without asking."""
    return tuple(_own_files(settings, file))


def find_own_exposure(settings: Settings, file: Path | None) -> Exposure | None:
    """Find one of the bot's own files that Claude could rewrite."""
    return find_exposure(own_files(settings, file), work_folders(settings))


def _own_files(settings: Settings, file: Path | None) -> Iterator[ProtectedFile]:
    home = Path(platformdirs.user_config_dir(config.APP))
    state = Path(platformdirs.user_state_dir(config.APP))
    if file is not None:
        yield ProtectedFile("configuration", file, home)
        yield ProtectedFile("secret file", file.parent / ".env", home)
    yield ProtectedFile("state folder", settings.state, state, settings.state / "worktrees")
    yield ProtectedFile("list of confirmed configurations", config.confirmed_configs.folder())
    yield from installation()
    yield from _programs("program", settings.claude.command, settings)
    yield from _programs("transcriber", settings.transcriber, settings)


def _programs(what: str, words: Sequence[str], settings: Settings) -> Iterator[ProtectedFile]:
    """Yield the files that a command runs: the program, and any file among its arguments."""
    if words and "/" not in words[0] and (found := shutil.which(words[0])):
        yield ProtectedFile(what, Path(found))
    for word in words:
        if "/" in word:  # an absolute path, or relative to the folder that it is started in
            paths = {project.folder / word for project in settings.projects.values()}
            yield from (ProtectedFile(what, path) for path in sorted(paths) if path.is_file())


def installation() -> Iterator[ProtectedFile]:
    """Yield the folders of the installed program, its libraries and its service file."""
    packages = [*bot.__path__, *(str(Path(each).parent / "permission_mcp") for each in bot.__path__), *shared.__path__]
    yield from (ProtectedFile("installation", Path(each)) for each in packages)
    for folder in (*_libraries(), sys.executable):
        yield ProtectedFile("installation", Path(folder))
    yield ProtectedFile("service", service.file_path("launchd" if sys.platform == "darwin" else "systemd"))


def _libraries() -> Sequence[str]:
    """Return the folders of imported packages: the virtual environment, or else the system's."""
    if sys.prefix != sys.base_prefix:
        return [sys.prefix]
    return sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
