"""Tests that busy threads never mix: no message, card, file or cost ends up in another thread."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.bot.projects.four_projects import TASKS, Answer, Neighbours, Story, living

ANSWERS: tuple[Answer, ...] = ("allow", "deny", "stop")
Moment = dict[int, Answer]
"""The threads that take their next step at the same time, and how each answers if that step is an answer."""
MOMENTS = st.dictionaries(st.integers(0, 3), st.sampled_from(ANSWERS), min_size=1)
EXAMPLES = 10
"""Starting four processes is slow, two seconds each; many moments in a plan are not."""
BOUND = 120.0


@pytest.mark.timeout(180)
async def test_twelve_threads_in_four_projects_of_two_servers_stay_apart(tmp_path: Path, real_claude: Path) -> None:
    async with living(tmp_path, (4, 3, 3, 2), real_claude) as neighbours:
        async with asyncio.TaskGroup() as tasks:
            for story in neighbours.stories:
                tasks.create_task(neighbours.begin(story))
        assert len({story.place.id for story in neighbours.stories}) == 12, "all of them wait at the same time"
        async with asyncio.TaskGroup() as tasks:
            for story in neighbours.stories:
                tasks.create_task(neighbours.answer(story, ANSWERS[story.number % 3]))
        async with asyncio.TaskGroup() as tasks:
            for story in neighbours.stories[::4]:
                tasks.create_task(neighbours.begin(story))
        for story in neighbours.stories[::4]:
            await neighbours.answer(story, "allow")


@pytest.mark.timeout(300)
async def test_any_order_of_messages_requests_clicks_and_stops_keeps_them_apart(tmp_path: Path) -> None:
    async with living(tmp_path, (1, 1, 1, 1)) as neighbours:
        loop = asyncio.get_running_loop()

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
        @given(st.lists(MOMENTS, min_size=4, max_size=12))
        def search(plan: list[Moment]) -> None:
            asyncio.run_coroutine_threadsafe(_play(neighbours, plan), loop).result(BOUND)

        await asyncio.to_thread(search)  # Hypothesis blocks; the bot keeps running


async def _play(neighbours: Neighbours, plan: list[Moment]) -> None:
    """Play the plan in new threads; those of earlier plans remain."""
    stories = neighbours.more()
    for moment in plan:
        async with asyncio.TaskGroup() as tasks:
            for number, answer in moment.items():
                tasks.create_task(_next(neighbours, stories[number], answer))
    for story in stories:
        await neighbours.leave(story)
    assert neighbours.misplaced() == []


async def _next(neighbours: Neighbours, story: Story, answer: Answer) -> None:
    if story.card is not None:
        await neighbours.answer(story, answer)
    elif story.begun < TASKS:
        await neighbours.begin(story)
