"""Tests the benchmarks in their small form: only ratios within one run, with room for a regression of less than 2 ×."""

import pytest

from benchmarks import desk, mcp_start, memory, permission, start, stream, turns
from benchmarks.figures import SMALL, Figure, Outcome
from benchmarks.table import report, table

TWICE = 2.0


def ratios(outcome: Outcome) -> dict[str, Figure]:
    return {figure.what: figure for figure in outcome.figures if figure.judged_unit == "×" and figure.most}


def assert_within_twice(outcome: Outcome) -> None:
    found = ratios(outcome)
    assert found
    late = {what: figure.judged for what, figure in found.items() if figure.judged > TWICE * (figure.most or 0)}
    assert not late, table(list(found.values()))


async def test_a_stream_is_decoded_and_rendered_in_proportion_to_reading_its_json() -> None:
    outcome = await stream.measure(SMALL)
    assert_within_twice(outcome)
    (growth,) = (figure for figure in outcome.figures if figure.beside == "exactly linear")
    assert 10 / TWICE < growth.judged < 10 * TWICE


async def test_the_permission_server_starts_like_the_smallest_one() -> None:
    assert_within_twice(await mcp_start.measure(SMALL))


async def test_a_permission_costs_few_round_trips() -> None:
    outcome = await permission.measure(SMALL)
    trips = map(sum, zip(outcome.samples["to card"], outcome.samples["to answer"], strict=True))
    # The fastest of each, because other programs disturb some runs. It is about 25 floors.
    assert min(trips) < TWICE * 35 * min(outcome.samples["floor"])


async def test_the_bot_starts_in_proportion_to_a_bare_one() -> None:
    assert_within_twice(await start.measure(SMALL))


async def test_memory_is_in_proportion_to_a_bare_bot_and_a_bare_server() -> None:
    assert_within_twice(await memory.measure(SMALL))


async def test_memory_grows_in_proportion_to_open_requests() -> None:
    assert_within_twice(await desk.measure(SMALL))


@pytest.mark.usefixtures("real_claude")
async def test_a_warm_turn_is_in_proportion_to_a_bare_claude() -> None:
    found = await turns.warm(5)
    # The fastest of each, because other programs disturb some runs.
    assert min(found["warm"]) < TWICE * 1.5 * min(found["warm, by stdin"])


def test_what_was_measured_can_be_read_by_people_and_programs() -> None:
    figure = Figure("a thing", 3.0, "ms", 2.0, "its floor", 1.5, "×", most=2)
    assert "| a thing | 3.00 ms  | 2.00 ms (its floor) | 1.50 × | ≤ 2 ×    | ✓ |" in table([figure])
    assert '"reached": true' in report({"thing": Outcome((figure,))}, {})
