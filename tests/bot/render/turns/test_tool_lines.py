"""Tests how a tool's line shows its duration and its file."""

import pytest

from bot.render.turns.tool_lines import duration, path_in


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "under 1 s"), (41, "41 s"), (59.7, "1 min"), (95, "1 min 35 s"), (1260, "21 min"), (7500, "2 h 5 min")],
)
def test_a_span_of_time_is_said_as_one_says_it(seconds: float, words: str):
    assert duration(seconds) == words


def test_paths_are_seen_from_the_project():
    assert path_in("/project/src/app.py", "/project") == "src/app.py"
    assert path_in("/projects/app.py", "/project") == "/projects/app.py"
    assert path_in("C:\\work\\app.py", "C:\\work") == "app.py"
