"""Switches off the mechanisms behind the promises, to prove that the checker would notice."""

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from bot.discord.incoming.inbox import Inbox
from bot.discord.outgoing import message_sender
from bot.store import Store


def _no_nonce() -> None:
    """Every sending is a new one to Discord."""
    message_sender.nonce = lambda _: secrets.token_hex(8)


def _no_ticket_rows() -> None:
    """A bot knows only the requests that it was itself asked."""
    opened: Callable[[Path], AbstractContextManager[Store]] = Store.open

    def forgetful(path: Path) -> AbstractContextManager[Store]:
        with opened(path) as store:
            store._db.execute("DELETE FROM ticket")
        return opened(path)

    _replace("open", staticmethod(forgetful))


def _no_journal() -> None:
    """What Claude wrote while nobody read is not read."""
    _replace("live_runs", lambda *_: [])


def _no_journal_offset() -> None:
    """A journal is read from its beginning, whatever stands in Discord already."""
    _replace("turns", lambda *_: [])


def _no_second_showing() -> None:
    """A turn that has ended is taken for shown."""
    _replace("unshown_turns", lambda *_: [])


def _no_catching_up() -> None:
    """Nobody reads what was written while the bot was away."""

    async def deaf(*_: object) -> None:
        """Do nothing."""

    Inbox.on_guild = deaf  # type: ignore[method-assign, assignment]


def _replace(name: str, other: Any) -> None:
    setattr(Store, name, other)


MECHANISMS: dict[str, Callable[[], None]] = {
    "nonce": _no_nonce,
    "tickets as rows": _no_ticket_rows,
    "journal": _no_journal,
    "journal offset": _no_journal_offset,
    "showing again": _no_second_showing,
    "catching up": _no_catching_up,
}


def switch_off(mechanism: str) -> None:
    """Have this process's bots do without one of the mechanisms; an empty name leaves all as it is."""
    if mechanism:
        MECHANISMS[mechanism]()
