"""Tests that the desk accepts the first decision, and keeps a ticket open exactly as long as someone waits."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.decisions.desk import NOBODY_WAITS, Desk, RequestMismatch
from bot.permission_requests.permission_request import PermissionRequest
from bot.permission_requests.ticket import Decided, Draft, Open, Ticket, Withdrawn
from bot.records import TurnRecord
from bot.store import Store
from shared.protocol import Allow, Deny
from tests.fixtures.tickets import permission_request

YES = Allow(updated_input={"command": "ls"})
NO = Deny(message="no")
ADA, BOB = 1, 2


def asking(command: str = "ls", use: str = "toolu_1") -> PermissionRequest:
    return permission_request("Bash", {"command": command}, name=use)


def place(ticket: str) -> str:
    return "turn"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "state.sqlite3") as store:
        yield store


@pytest.fixture
def seen() -> list[Ticket]:
    return []


@pytest.fixture
def desk(store: Store, seen: list[Ticket]) -> Desk:
    return Desk(store, [seen.append], clock=lambda: 1000.0)


def state(store: Store) -> object:
    ticket = store.ticket_for("run", "toolu_1")
    return ticket and ticket.state


async def listeners_told() -> None:
    """Let the desk notify its listeners about a decision, after the person who decided has the reply."""
    await asyncio.sleep(0)


async def decided(desk: Desk, wanted: PermissionRequest) -> Allow | Deny:
    async with asyncio.timeout(5), desk.open(desk.ticket(wanted), place) as waiting:
        return await waiting.decided()


async def test_the_first_decision_wins(desk: Desk, store: Store, seen: list[Ticket]) -> None:
    async with desk.open(desk.ticket(asking()), place) as waiting:
        assert desk.decide(waiting.ticket_id, NO, by=ADA)
        assert not desk.decide(waiting.ticket_id, YES, by=BOB)
        async with asyncio.timeout(5):
            assert await waiting.decided() == NO
    assert state(store) == Decided(NO, ADA, 1000.0)
    await listeners_told()
    assert [type(ticket.state) for ticket in seen] == [Open, Decided]


async def test_the_same_request_asked_again_finds_its_decision(desk: Desk, store: Store, seen: list[Ticket]) -> None:
    async with desk.open(desk.ticket(asking()), place) as waiting:
        desk.decide(waiting.ticket_id, YES, by=ADA)
    assert await decided(desk, asking()) == YES
    assert await decided(Desk(store, [seen.append]), asking()) == YES, "the next bot's desk knows it too"
    await listeners_told()
    assert len(seen) == 2, "no card is drawn anew"


async def test_a_request_that_nobody_waits_for_is_withdrawn(desk: Desk, store: Store) -> None:
    async with desk.open(desk.ticket(asking()), place) as waiting:
        assert state(store) == Open()
    assert state(store) == Withdrawn(NOBODY_WAITS, 1000.0)
    assert not desk.decide(waiting.ticket_id, YES, by=ADA)
    assert not desk.redraft(waiting.ticket_id, Draft(panel="always"))


async def test_a_withdrawn_request_says_why(desk: Desk, store: Store) -> None:
    async with desk.open(desk.ticket(asking()), place):
        desk.set_withdrawal_reason(7, "stopped by ada")
    assert state(store) == Withdrawn("stopped by ada", 1000.0)
    desk.set_withdrawal_reason(7, None)
    async with desk.open(desk.ticket(asking(use="toolu_2")), place) as waiting:
        pass
    ticket = store.ticket(waiting.ticket_id)
    assert ticket is not None
    assert ticket.state == Withdrawn(NOBODY_WAITS, 1000.0)


async def test_a_request_that_ends_after_the_next_turn_has_begun_still_says_why(desk: Desk, store: Store) -> None:
    async with desk.open(desk.ticket(asking()), place):
        desk.set_withdrawal_reason(7, "stopped by ada")
        desk.set_withdrawal_reason(7, None)
        async with desk.open(desk.ticket(asking(use="toolu_2")), place) as later:
            pass
    assert state(store) == Withdrawn("stopped by ada", 1000.0)
    ticket = store.ticket(later.ticket_id)
    assert ticket is not None
    assert ticket.state == Withdrawn(NOBODY_WAITS, 1000.0)


async def test_an_asker_that_comes_back_finds_the_same_ticket_open(desk: Desk, store: Store) -> None:
    async with desk.open(desk.ticket(asking()), place) as first:
        desk.redraft(first.ticket_id, Draft(panel="always"))
    async with desk.open(desk.ticket(asking()), place) as second:
        assert second.ticket_id == first.ticket_id
        assert state(store) == Open()
        ticket = store.ticket(second.ticket_id)
        assert ticket is not None
        assert ticket.draft == Draft(panel="always")
        assert desk.decide(second.ticket_id, YES, by=ADA)


async def test_a_ticket_stays_open_while_one_of_two_askers_still_waits(desk: Desk, store: Store) -> None:
    async with desk.open(desk.ticket(asking()), place) as first:
        async with desk.open(desk.ticket(asking()), place) as second:
            assert second.ticket_id == first.ticket_id
        assert state(store) == Open()
        desk.decide(first.ticket_id, YES, by=ADA)
        async with asyncio.timeout(5):
            assert await first.decided() == YES


async def test_an_asker_that_is_cancelled_takes_nothing_from_the_other(desk: Desk) -> None:
    async with desk.open(desk.ticket(asking()), place) as staying:
        leaving = asyncio.create_task(decided(desk, asking()))
        await asyncio.sleep(0)
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert desk.decide(staying.ticket_id, NO, by=ADA)
        async with asyncio.timeout(5):
            assert await staying.decided() == NO


async def test_something_else_under_the_same_name_is_never_taken_for_what_was_decided(desk: Desk) -> None:
    async with desk.open(desk.ticket(asking("ls")), place) as waiting:
        desk.decide(waiting.ticket_id, YES, by=ADA)
    with pytest.raises(RequestMismatch):
        await decided(desk, asking("rm -rf ."))


def test_a_ticket_that_never_was_takes_no_decision(desk: Desk) -> None:
    assert not desk.decide("nothing", YES, by=ADA)
    assert not desk.redraft("nothing", Draft())
    desk.withdraw("nothing", "why not")


async def test_a_listener_that_fails_stops_neither_the_others_nor_the_decision(
    store: Store, seen: list[Ticket], caplog: pytest.LogCaptureFixture
) -> None:
    def broken(ticket: Ticket) -> None:
        raise KeyError("nobody thought of this")

    desk = Desk(store, [broken, seen.append])
    async with desk.open(desk.ticket(asking()), place) as waiting:
        desk.redraft(waiting.ticket_id, Draft(panel="always"))
        assert desk.decide(waiting.ticket_id, YES, by=ADA)
        async with asyncio.timeout(5):
            assert await waiting.decided() == YES
    await listeners_told()
    assert [type(ticket.state) for ticket in seen] == [Open, Open, Decided]
    assert "nobody thought of this" in caplog.text


async def test_a_card_is_drawn_again_as_its_ticket_is_now(desk: Desk, seen: list[Ticket]) -> None:
    async with desk.open(desk.ticket(asking()), place) as waiting:
        desk.decide(waiting.ticket_id, NO, by=ADA)
        desk.redraw(waiting.ticket_id)
        await listeners_told()
    assert [type(ticket.state) for ticket in seen] == [Open, Decided, Decided]
    desk.redraw("unknown")
    assert len(seen) == 3


async def test_a_decision_on_a_card_in_an_ended_turn_is_drawn_by_the_next_bot_if_this_one_stops(
    desk: Desk, store: Store
) -> None:
    store.add_turn(TurnRecord("turn", 7, "run", 0, 1.0))
    async with desk.open(desk.ticket(asking()), place) as waiting:
        store.end_turn("turn", 5)
        store.set_shown("turn", shown=True)
        desk.decide(waiting.ticket_id, YES, by=ADA)  # no listener is told before the bot stops
        assert [turn.id for turn in store.unshown_turns(7)] == ["turn"]
