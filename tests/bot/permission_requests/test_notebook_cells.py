"""Tests that a notebook's card shows what the real CLI then does to the file."""

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

from bot.permission_requests.file_snapshot import FileSnapshot
from bot.render.cards.card import card
from sandbox.messages_api.server import serve
from sandbox.scripts.script import Say, Use, script
from tests.fixtures.message_limits import texts
from tests.fixtures.real_claude import OLD_VERSION, real_claude_or_skip, version
from tests.fixtures.tickets import ticket

Cell = dict[str, Any]


def markdown(text: str, **more: Any) -> Cell:
    return {"cell_type": "markdown", "source": text, "metadata": {}} | more


def code(text: str | list[str], printed: str = "", **more: Any) -> Cell:
    outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
    count = 3 if printed else None
    return {"cell_type": "code", "source": text, "metadata": {}, "execution_count": count, "outputs": outputs} | more


FOUR = (
    markdown("# Title", id="title"),
    code(["import os\n", "print(1)"], "1\n", id="run"),
    code("quiet = 1", id="quiet"),
    {"cell_type": "raw", "source": "raw text", "metadata": {}, "id": "raw"},
)
TWINS = (markdown("one", id="a"), code("two", "2", id="b"), markdown("three", id="a"))
OLD = (markdown("one"), code("two", "2"), code("three"))
NUMBERED = (code("zero", id="cell-1"), code("one", id="x"), code("two", id="cell-0"))

CASES: dict[str, tuple[tuple[Cell, ...], dict[str, Any]]] = {
    "another text": (FOUR, {"cell_id": "quiet", "new_source": "quiet = 2"}),
    "another text where something was printed": (FOUR, {"cell_id": "run", "new_source": "import sys"}),
    "the same text where something was printed": (FOUR, {"cell_id": "run", "new_source": "import os\nprint(1)"}),
    "the same text": (FOUR, {"cell_id": "title", "new_source": "# Title"}),
    "another type only": (FOUR, {"cell_id": "title", "new_source": "# Title", "cell_type": "code"}),
    "another type and text": (FOUR, {"cell_id": "run", "new_source": "x", "cell_type": "markdown"}),
    "a raw cell made code": (FOUR, {"cell_id": "raw", "new_source": "raw text", "cell_type": "code"}),
    "the type it has": (FOUR, {"cell_id": "run", "new_source": "x", "cell_type": "code"}),
    "mode replace, said": (FOUR, {"cell_id": "raw", "new_source": "x", "edit_mode": "replace"}),
    "by number": (FOUR, {"cell_id": "cell-3", "new_source": "x"}),
    "by number with zeros": (FOUR, {"cell_id": "cell-002", "new_source": "x"}),
    "by number where cells have no ids": (OLD, {"cell_id": "cell-1", "new_source": "x"}),
    "an id that looks like a number": (NUMBERED, {"cell_id": "cell-1", "new_source": "x"}),
    "a number that is too high": (FOUR, {"cell_id": "cell-4", "new_source": "x"}),
    "a number that is very high": (FOUR, {"cell_id": "cell-99999999999999999999", "new_source": "x"}),
    "a number below nothing": (FOUR, {"cell_id": "cell--1", "new_source": "x"}),
    "an id that two have": (TWINS, {"cell_id": "a", "new_source": "x"}),
    "an id that none has": (FOUR, {"cell_id": "nowhere", "new_source": "x"}),
    "an id in capitals": (FOUR, {"cell_id": "TITLE", "new_source": "x"}),
    "no id": (FOUR, {"new_source": "x"}),
    "an empty id": (FOUR, {"cell_id": "", "new_source": "x"}),
    "insert after": (FOUR, {"cell_id": "run", "new_source": "x", "edit_mode": "insert", "cell_type": "code"}),
    "insert markdown": (FOUR, {"cell_id": "raw", "new_source": "x", "edit_mode": "insert", "cell_type": "markdown"}),
    "insert after one of two": (TWINS, {"cell_id": "a", "new_source": "x", "edit_mode": "insert", "cell_type": "code"}),
    "insert by number": (OLD, {"cell_id": "cell-0", "new_source": "x", "edit_mode": "insert", "cell_type": "code"}),
    "insert without an id": (FOUR, {"new_source": "x", "edit_mode": "insert", "cell_type": "code"}),
    "insert into nothing": ((), {"new_source": "x", "edit_mode": "insert", "cell_type": "markdown"}),
    "insert without a type": (FOUR, {"cell_id": "run", "new_source": "x", "edit_mode": "insert"}),
    "insert nowhere": (FOUR, {"cell_id": "no", "new_source": "x", "edit_mode": "insert", "cell_type": "code"}),
    "delete": (FOUR, {"cell_id": "title", "new_source": "", "edit_mode": "delete"}),
    "delete what printed": (FOUR, {"cell_id": "run", "new_source": "kept?", "edit_mode": "delete"}),
    "delete one of two": (TWINS, {"cell_id": "a", "new_source": "", "edit_mode": "delete"}),
    "delete by number": (OLD, {"cell_id": "cell-2", "new_source": "", "edit_mode": "delete"}),
    "delete without an id": (FOUR, {"new_source": "", "edit_mode": "delete"}),
}


def notebook(cells: tuple[Cell, ...]) -> str:
    return json.dumps({"cells": copy.deepcopy(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def text_of(cell: Cell) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def without_id(cell: Cell) -> Cell:
    return {key: value for key, value in cell.items() if key != "id"}


def happened(before: list[Cell], after: list[Cell]) -> set[str]:
    """Describe the change of a notebook on the disk, in the sentences of its card."""
    places = [n for n, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]]
    place = places[0] if places else min(len(before), len(after))
    if len(after) > len(before):
        kind = after[place]["cell_type"]
        where = f"after cell {place} of {len(before)}" if place else "at the beginning"
        return {f"adds a {kind} cell {where}", text_of(after[place])}
    if len(after) < len(before):
        lost = {"Its output is deleted, too."} if before[place].get("outputs") else set()
        old = {f"-{line}" for line in text_of(before[place]).split("\n")}
        return {f"deletes cell {place + 1} of {len(before)}"} | lost | old
    if not places:
        return {"leaves cell", "as it is"}
    old, new = before[place], after[place]
    said = {f"changes cell {place + 1} of {len(before)}"}
    if old["cell_type"] != new["cell_type"]:
        said.add(f"The {old['cell_type']} cell becomes a {new['cell_type']} cell.")
    if old.get("outputs") and not new.get("outputs"):
        said.add("Its output is removed.")
    if text_of(old) == text_of(new):
        return said | {"Its text stays the same."}
    return said | {f"-{line}" for line in text_of(old).split("\n")} | {f"+{line}" for line in text_of(new).split("\n")}


NOTES = {
    "Its output is deleted, too.",
    "Its output is removed.",
    "Its text stays the same.",
    "becomes a",
    "adds a",
    "deletes cell",
    "changes cell",
    "leaves cell",
    "Claude Code would refuse this",
}


@pytest.fixture(params=[version(), OLD_VERSION])
def claude(request: pytest.FixtureRequest) -> Path:
    return real_claude_or_skip(request.param)


async def done(claude: Path, folder: Path) -> dict[str, bool]:
    """Let Claude make every change, each in its own notebook, and return which ones it refused."""
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    uses = []
    for number, (cells, change) in enumerate(CASES.values()):
        file = project / f"{number}.ipynb"
        file.write_text(notebook(cells), encoding="utf-8")
        uses += [Use("Read", {"file_path": str(file)}), Use("NotebookEdit", {"notebook_path": str(file), **change})]
    async with serve() as api, asyncio.timeout(100):
        api.on("GO", script(*([use] for use in uses), [Say("done")]))
        process = await asyncio.create_subprocess_exec(
            *(str(claude), "-p", "GO", "--output-format", "stream-json", "--verbose"),
            *("--allowedTools", "Read", "Edit", "NotebookEdit"),
            env=api.environment(home),
            cwd=project,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
    results = [
        block
        for event in map(json.loads, out.splitlines())
        if event["type"] == "user"
        for block in event["message"]["content"]
        if isinstance(block, dict) and block["type"] == "tool_result"
    ]
    assert len(results) == len(uses)
    return {name: bool(result.get("is_error")) for name, result in zip(CASES, results[1::2], strict=True)}


@pytest.mark.timeout(150)
async def test_the_card_says_what_claude_then_does(claude: Path, tmp_path: Path) -> None:
    refused = await done(claude, tmp_path)
    for number, (name, (cells, change)) in enumerate(CASES.items()):
        shown = texts(card(asking(change, notebook(cells))))
        now = json.loads((tmp_path / "project" / f"{number}.ipynb").read_text(encoding="utf-8"))["cells"]
        expected = {"Claude Code would refuse this"} if refused[name] else happened(list(cells), now)
        assert {one for one in expected if one not in shown} == set(), name
        wrong = {note for note in NOTES if note in shown and not any(note in one for one in expected)}
        assert wrong - ({"adds a", "deletes a", "changes a"} if refused[name] else set()) == set(), name
        assert "Nothing would change" not in shown, name


def asking(change: dict[str, Any], before: str | None) -> Any:
    file = FileSnapshot(before, exists=before is not None)
    return ticket("NotebookEdit", {"notebook_path": "/home/ann/shop/a.ipynb", **change}, file=file)


def test_an_id_that_two_cells_have_is_told() -> None:
    shown = texts(card(asking({"cell_id": "a", "new_source": "x"}, notebook(TWINS))))
    assert "2 cells have this id. This is the first of them." in shown
    assert "-one\n+x" in shown


def test_a_number_is_told_from_an_id() -> None:
    assert "taken as a number, counted from 0" in texts(
        card(asking({"cell_id": "cell-1", "new_source": "x"}, notebook(OLD)))
    )
    by_id = texts(card(asking({"cell_id": "cell-1", "new_source": "x"}, notebook(NUMBERED))))
    assert "changes cell 1 of 3" in by_id
    assert "counted from 0" not in by_id


@pytest.mark.parametrize(
    "before",
    [
        *(None, "", "no json", "[]", '{"cells": 3}', '{"cells": [null]}', '{"cells": [{"source": 3}]}', "[" * 100_000),
        '{"cells": [{"id": "a", "source": "x", "n": NaN}]}',
    ],
)
def test_where_the_notebook_can_not_be_read_the_card_says_so(before: str | None) -> None:
    for mode in ("replace", "insert", "delete"):
        change = {"cell_id": "a", "new_source": "new text", "edit_mode": mode, "cell_type": "code"}
        shown = texts(card(asking(change, before)))
        assert "The notebook could not be read" in shown
        assert mode == "delete" or "new text" in shown


def test_what_the_tool_does_not_know_is_shown_as_it_came() -> None:
    for odd in ({"edit_mode": "move"}, {"cell_type": "raw"}, {"cell_id": 3}):
        shown = texts(card(asking({"cell_id": "title", "new_source": "x", **odd}, notebook(FOUR))))
        assert json.dumps(odd)[1:-1] in shown
        assert "cell 1 of" not in shown


def test_no_id_can_push_the_rest_off_the_card() -> None:
    shown = card(asking({"cell_id": "x" * 300 + "\u202eend", "new_source": "new text"}, notebook(FOUR)))
    assert "\u202e" not in texts(shown)
    assert [file.name for file in shown.files] == ["input.json"]
    assert "x" * 300 in shown.files[0].content.decode()
