"""However many threads are at work, nothing of one ever lands in another: no message, card, file or cost."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.projects.neighbours import TASKS, Answer, living

ANSWERS: tuple[Answer, ...] = ("allow", "deny", "stop")


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


@pytest.mark.timeout(120)
@settings(max_examples=2, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(ANSWERS)), min_size=10, max_size=14))
def test_any_order_of_messages_requests_clicks_and_stops_keeps_them_apart(
    plan: list[tuple[int, Answer]],
) -> None:
    async def play(root: Path) -> None:
        async with living(root, (1, 1, 1, 1)) as neighbours:
            for number, answer in plan:
                story = neighbours.stories[number]
                if story.card is not None:
                    await neighbours.answer(story, answer)
                elif story.begun < TASKS:
                    await neighbours.begin(story)
            for story in neighbours.stories:
                if story.card is not None:
                    await neighbours.answer(story, "deny")

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder).resolve()))
