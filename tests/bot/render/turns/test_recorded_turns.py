"""Tests how recordings of the real CLI look in the thread. `GOLDEN=write pytest …` rewrites the golden files."""

import os
from pathlib import Path

import pytest

from tests.bot.render.turns.scripted_turn import STREAMS, check, played, written

GOLDEN = Path(__file__).parent / "golden"
RECORDINGS = sorted(STREAMS.glob("*.jsonl"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_reads_as_it_should(path: Path):
    views = played(path)
    for view in views:
        check(view.messages({}))
    shown = "\n---\n\n".join(written(view.messages({})) for view in views)
    golden = GOLDEN / f"{path.stem}.md"
    if os.environ.get("GOLDEN") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown, "utf-8")
    assert shown == golden.read_text("utf-8")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_it_ends_the_same_however_often_it_was_looked_at(path: Path):
    once = [written(view.messages({})) for view in played(path)]
    often = [written(view.messages({})) for view in played(path, polled=True)]
    assert once == often
