"""Talking to whoever sets the bot up: a person at a terminal, or a program that reads JSON."""

import getpass
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Dialog:
    """Asks and tells; where nobody can be asked, it says which option answers."""

    as_json: bool = False
    always_yes: bool = False

    @property
    def interactive(self) -> bool:
        return sys.stdin.isatty() and not self.as_json

    def tell(self, text: str, **fields: object) -> None:
        """Say it to a person; a program gets the fields."""
        if not self.as_json:
            _write(text)
        elif fields:
            _write(json.dumps(fields, ensure_ascii=False))

    def secret(self, question: str, otherwise: str) -> str:
        self._needs_somebody(otherwise)
        with _answering():
            return getpass.getpass(question + ": ").strip()

    def text(self, question: str, default: str) -> str:
        """Ask for a text; whoever can't be asked takes the default."""
        if not self.interactive:
            return default
        with _answering():
            return input(f"{question} [{default}]: " if default else f"{question}: ").strip() or default

    def yes(self, question: str, *, default: bool = False, otherwise: str | None = None) -> bool:
        """Ask for a yes; `otherwise` says how to answer where nobody can be asked and the default won't do."""
        if self.always_yes:
            return True
        if not self.interactive:
            if otherwise is not None:
                raise ConfigError(otherwise)
            return default
        with _answering():
            answer = input(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().casefold()
        return answer.startswith("y") if answer else default

    def _needs_somebody(self, otherwise: str) -> None:
        if not self.interactive:
            raise ConfigError(otherwise)


@contextmanager
def _answering() -> Iterator[None]:
    """Ctrl-D is an answer, too: then nothing goes on. Ctrl-C ends it at once."""
    # asyncio.run has its own handler, which waits for the next await: none comes while a question is open.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except EOFError:
        _write("")
        raise ConfigError("No answer; nothing more was done.") from None
    finally:
        signal.signal(signal.SIGINT, before)


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
