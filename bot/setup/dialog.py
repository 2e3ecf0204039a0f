"""Questions and messages for the person who sets up the bot, or JSON for a program that does."""

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
    """Asks questions and shows messages; without a terminal, an error names the option to pass instead."""

    as_json: bool = False
    always_yes: bool = False

    @property
    def interactive(self) -> bool:
        return sys.stdin.isatty() and not self.as_json

    def tell(self, text: str, **fields: object) -> None:
        """Show the text, or print the fields in JSON mode."""
        if not self.as_json:
            _write(text)
        elif fields:
            _write(json.dumps(fields, ensure_ascii=False))

    def secret(self, question: str, otherwise: str) -> str:
        self._require_terminal(otherwise)
        with _answer_or_stop():
            return getpass.getpass(question + ": ").strip()

    def text(self, question: str, default: str) -> str:
        """Ask for a text; return the default without a terminal."""
        if not self.interactive:
            return default
        with _answer_or_stop():
            return input(f"{question} [{default}]: " if default else f"{question}: ").strip() or default

    def yes(self, question: str, *, default: bool = False, otherwise: str | None = None) -> bool:
        """Ask a yes/no question; without a terminal, fail with `otherwise` or, if there is none, return the default."""
        if self.always_yes:
            return True
        if not self.interactive:
            if otherwise is not None:
                raise ConfigError(otherwise)
            return default
        with _answer_or_stop():
            answer = input(f"{question} [{'Y/n' if default else 'y/N'}] ").strip().casefold()
        return answer.startswith("y") if answer else default

    def _require_terminal(self, otherwise: str) -> None:
        if not self.interactive:
            raise ConfigError(otherwise)


@contextmanager
def _answer_or_stop() -> Iterator[None]:
    """Turn Ctrl-D into an error, and let Ctrl-C interrupt immediately."""
    # asyncio.run's own handler waits for the next await, and there is none while a question is open.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except EOFError:
        _write("")
        raise ConfigError("No answer, so nothing more was done.") from None
    finally:
        signal.signal(signal.SIGINT, before)


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
