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
    """Make each attempt to send a message look new to Discord."""
    message_sender.nonce = lambda _: secrets.token_hex(8)


def _no_ticket_rows() -> None:
    """Forget the requests to earlier bots."""
    opened: Callable[[Path], AbstractContextManager[Store]] = Store.open

    def forgetful(path: Path) -> AbstractContextManager[Store]:
        with opened(path) as store:
            store._db.execute("DELETE FROM ticket")
        return opened(path)

    _replace("open", staticmethod(forgetful))


def _no_journal() -> None:
    """Skip what Claude wrote while no bot was running."""
    _replace("live_runs", lambda *_: [])


def _no_journal_offset() -> None:
    """Read each journal from its beginning, whatever is in Discord already."""
    _replace("turns", lambda *_: [])


def _no_second_showing() -> None:
    """Treat every ended turn as shown."""
    _replace("unshown_turns", lambda *_: [])


def _no_catching_up() -> None:
    """Skip the messages that were written while the bot was away."""

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
    """Switch off one mechanism in this process's bots; an empty name switches off none."""
    if mechanism:
        MECHANISMS[mechanism]()
