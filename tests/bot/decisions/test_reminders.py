"""Tests when people are reminded of an unanswered request, and when Claude is told that nobody answered."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import ApprovalSettings
from bot.decisions.unanswered_requests import due_actions

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def at(clock: str) -> float:
    return datetime.fromisoformat(f"2026-03-10 {clock}").astimezone().timestamp()


@pytest.mark.parametrize(
    ("minutes", "reminders", "next_minutes"),
    [(0, 0, 5), (4.9, 0, 5), (5, 1, 20), (19, 1, 20), (20, 2, 65), (65, 3, 200), (199, 3, 200), (200, 4, 605)],
)
def test_reminders_come_after_five_minutes_and_then_ever_more_rarely(
    minutes: float, reminders: int, next_minutes: float
) -> None:
    found = due_actions(1000.0, ApprovalSettings(), 1000.0 + minutes * MINUTE)
    assert (found.reminders, found.timed_out) == (reminders, False)
    assert found.next == 1000.0 + next_minutes * MINUTE


def test_after_long_a_reminder_comes_once_a_day() -> None:
    first, second = (due_actions(0.0, ApprovalSettings(), days * DAY).next for days in (30, 31))
    assert first is not None
    assert second is not None
    assert second - first == DAY


def test_no_reminder_where_none_is_wanted() -> None:
    found = due_actions(0.0, ApprovalSettings(remind_minutes=0), 10 * DAY)
    assert (found.reminders, found.next) == (0, None)


def test_there_is_no_time_out_unless_one_is_wanted() -> None:
    assert not due_actions(0.0, ApprovalSettings(), 365 * DAY).timed_out


def test_a_time_out_comes_when_it_is_due_and_not_before() -> None:
    wanted = ApprovalSettings(timeout_minutes=3)
    assert due_actions(0.0, wanted, 179.0).next == 180.0
    assert not due_actions(0.0, wanted, 179.0).timed_out
    assert due_actions(0.0, wanted, 180.0).timed_out
    assert due_actions(0.0, wanted, 10 * DAY).timed_out, "after a restart too"


@pytest.mark.parametrize(
    ("quiet", "opened", "now", "reminders", "next_at"),
    [
        ("22:00-07:00", "21:58", "22:30", 0, "07:00"),
        ("22:00-07:00", "00:10", "06:59", 0, "07:00"),
        ("22:00-07:00", "00:10", "07:00", 4, "10:15"),
        ("22:00-07:00", "07:00", "07:05", 1, "07:20"),
        ("12:00-13:00", "11:57", "12:30", 0, "13:00"),
    ],
)
def test_nobody_is_reminded_in_quiet_hours_but_at_their_end(
    quiet: str, opened: str, now: str, reminders: int, next_at: str
) -> None:
    found = due_actions(at(opened), ApprovalSettings(quiet_hours=quiet), at(now))
    assert found.reminders == reminders
    assert found.next is not None
    assert datetime.fromtimestamp(found.next).astimezone().strftime("%H:%M") == next_at


def test_a_time_out_does_not_wait_for_the_end_of_quiet_hours() -> None:
    wanted = ApprovalSettings(quiet_hours="22:00-07:00", timeout_minutes=10)
    assert due_actions(at("23:00"), wanted, at("23:10")).timed_out


@given(
    st.floats(0, 30 * DAY),
    st.floats(0, 30 * DAY),
    st.sampled_from(["", "22:00-07:00", "00:00-23:59", "12:00-12:00"]),
    st.floats(0, 2000),
    st.floats(0, 100),
)
def test_time_only_adds_reminders_and_what_is_next_is_ahead(
    one: float, other: float, quiet: str, timeout: float, remind: float
) -> None:
    wanted = ApprovalSettings(
        quiet_hours=quiet, timeout_minutes=timeout, remind_minutes=max(remind, 0.01) if remind else 0
    )
    early, late = sorted((one, other))
    first, second = due_actions(0.0, wanted, early), due_actions(0.0, wanted, late)
    assert second.timed_out >= first.timed_out
    if not second.timed_out:
        assert second.reminders >= first.reminders
    assert first.next is None or first.next > early


def test_what_a_project_says_wins_over_the_rest_of_the_file() -> None:
    below = ApprovalSettings(second_person=True, timeout_minutes=30, quiet_hours="22:00-07:00")
    above = ApprovalSettings(timeout_minutes=0, quiet_hours="").over(below)
    assert (above.second_person, above.timeout, above.quiet) == (True, 0.0, None)


@pytest.mark.parametrize("hours", ["22-7", "25:00-07:00", "22:00", "night"])
def test_hours_that_are_none_are_refused_with_an_example(hours: str) -> None:
    with pytest.raises(ValueError, match="22:00-07:00"):
        ApprovalSettings(quiet_hours=hours)
