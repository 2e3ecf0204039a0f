"""Tests that tables are drawn in a way that Discord can show."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.bot.render.turns.scripted_turn import ScriptedTurn, in_one_piece, judged

TABLES = """\
Narrow:

| File | Lines | Status |
|---|---:|---|
| app.py | 120 | **changed** |
| cli.py | 8 | `new` |

Wide:

| Name | What it does | Where it is used |
|---|---|---|
| `parse()` | reads a whole file and gives its tokens | src/app.py, src/cli.py |
| `emit()` | writes them, a \\| b | src/out.py |

Two columns:

| Option | Meaning |
|---|---|
| `--strict` | every warning is an error, and the run ends at the first one |
| `--quiet` | nothing is written |

Not a table: a | b
"""


def test_tables_become_what_discord_can_draw():
    scripted = ScriptedTurn()
    scripted.says(TABLES)
    scripted.ends()
    judged("tables", [scripted.shown()])


@given(st.lists(st.lists(st.text(st.sampled_from("abc `*|\\漢"), max_size=30), min_size=2, max_size=5), max_size=8))
def test_no_cell_of_a_table_is_lost(rows: list[list[str]]):
    width = len(rows[0]) if rows else 2
    drawn = [[cell.replace("\\", "").replace("|", "\\|") for cell in (row + [""] * width)[:width]] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in drawn]
    text = "\n".join([*lines[:1], "|" + "---|" * width, *lines[1:]])
    shown = "\n".join(message.text for message in in_one_piece(text))
    for row in drawn[1:]:
        for cell in row:
            assert _letters(cell) in _letters(shown)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z漢]", "", text)
