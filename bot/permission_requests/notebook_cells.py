"""Finds the notebook cell that an edit changes, by the rules of Claude Code (a test compares them)."""

import json
import re
from dataclasses import dataclass
from typing import Any

from bot.permission_requests.tool_input import EditCell

UNKNOWN = "The notebook could not be read, so the cell and its current content are not known."
_BY_NUMBER = re.compile(r"cell-([0-9]{1,9})")

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CellChange:
    """The effect of an edit on one cell."""

    words: str
    """The change and the cell, such as "changes cell 2 of 3"."""
    before: str | None = None
    """The cell's current text; None if there is no cell or it is not known."""
    notes: tuple[str, ...] = ()


def cell_change(change: EditCell, notebook: str | None) -> CellChange:
    """Return the effect of an edit on the current notebook, which is None if it can't be shown."""
    cells = _cells(notebook)
    if cells is None:
        return CellChange(_verb(change), notes=(UNKNOWN,))
    found = _find(cells, change)
    if isinstance(found, str):
        return CellChange(_verb(change), notes=(f"Claude Code would refuse this: {found}.",))
    number, notes = found
    which = f"cell {number + 1} of {len(cells)}"
    if change.mode == "insert":
        where = f"after {which}" if number >= 0 else "at the beginning"
        return CellChange(f"{_verb(change)} {where}", notes=notes)
    source, more = _source(cells[number]), _side_effects(cells[number], change)
    if change.mode == "delete":
        return CellChange(f"deletes {which}", source, (*more, *notes))
    if source == change.source:
        if not more:
            return CellChange(f"leaves {which} as it is", source, notes)
        more = ("Its text stays the same.", *more)
    return CellChange(f"changes {which}", source, (*more, *notes))


def _cells(notebook: str | None) -> list[Json] | None:
    """Return a notebook's cells; None if Claude Code would not accept it as a notebook."""
    try:
        cells = json.loads(notebook or "", parse_constant=_refuse_constant)["cells"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return cells if isinstance(cells, list) and all(map(_is_cell, cells)) else None


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)  # Python accepts NaN and Infinity, JavaScript does not


def _is_cell(cell: object) -> bool:
    source = cell.get("source") if isinstance(cell, dict) else None
    return isinstance(source, str) or (isinstance(source, list) and all(isinstance(line, str) for line in source))


def _find(cells: list[Json], change: EditCell) -> tuple[int, tuple[str, ...]] | str:
    """Return the number of the cell (-1: before the first) and notes, or why Claude Code would refuse the edit."""
    if change.mode == "insert" and not change.kind:
        return "the request gives the cell no type"
    if not change.cell:
        return (-1, ()) if change.mode == "insert" else "the request names no cell"
    found = [number for number, cell in enumerate(cells) if cell.get("id") == change.cell]
    if len(found) > 1:
        return found[0], (f"{len(found)} cells have this id. This is the first of them.",)
    if found:
        return found[0], ()
    by_number = _BY_NUMBER.fullmatch(change.cell)  # only if no cell has this id
    if by_number and int(by_number[1]) < len(cells):
        return int(by_number[1]), ("No cell has this id, so it is taken as a number, counted from 0.",)
    return "no cell has this id"


def _side_effects(cell: Json, change: EditCell) -> tuple[str, ...]:
    """Return notes about changes other than the text."""
    output = bool(cell.get("outputs")) or cell.get("execution_count") is not None
    if change.mode == "delete":
        return ("Its output is deleted, too.",) if output else ()
    kind = cell.get("cell_type")
    return (
        *((f"The {kind} cell becomes a {change.kind} cell.",) if change.kind and change.kind != kind else ()),
        *(("Its output is removed.",) if output and kind == "code" else ()),
    )


def _source(cell: Json) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _verb(change: EditCell) -> str:
    match change.mode:
        case "insert":
            return f"adds a {change.kind or 'new'} cell"
        case "delete":
            return "deletes a cell"
    return "changes a cell"
