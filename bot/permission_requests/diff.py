"""Computes the diff between the current file and the change that Claude asks for."""

import difflib
import re
from collections import Counter
from dataclasses import dataclass, replace

from bot.permission_requests.file_snapshot import FileSnapshot
from bot.permission_requests.notebook_cells import cell_change
from bot.permission_requests.tool_input import Change, EditCell, EditFile, Replacement, WriteFile

CONTEXT = 3
HIDDEN = {
    "outside": "This file is outside the project, so its current content is not shown.",
    "secret": "A file with this name may hold secrets, so its current content is not shown.",
    "unknown": "The file could not be read, so its current content is not known.",
}
UNREADABLE = "The current file can't be shown as text, so this is only the new content."
MAX_STEPS = 8_000_000
"""Worst-case number of steps for difflib, about a second."""
MAX_SEARCHED = 100_000_000
"""Characters that may be searched in total to preview several replacements."""
_HUNK_HEADER = re.compile(r"@@ -([0-9]+)(,[0-9]+|) \+([0-9]+)(,[0-9]+|) @@")
MAX_RESULT = 16_000_000
"""Characters of the longest result: one short replacement, made everywhere, could use up all memory."""
MIXED_LINE_ENDS = "Some lines end in CR LF and some in LF. The edit makes them all the same."


@dataclass(frozen=True, slots=True)
class Difference:
    """A change as it is shown on a card."""

    text: str
    """A unified diff; for a new file, its content."""
    kind: str
    """What happens to the file: "new file", "overwrites the file", "changes the file"."""
    notes: tuple[str, ...] = ()
    is_diff: bool = True


def difference(change: Change, before: str | None, *, exists: bool = False) -> Difference:
    """Return the effect of a change on the current file. `before` is None if its text can't be shown."""
    match change:
        case WriteFile(content=content) if before is None and exists:
            return Difference(content, "overwrites the file", (UNREADABLE,), is_diff=False)
        case WriteFile(content=content) if before is None:
            return Difference(content, "new file", is_diff=False)
        case WriteFile(content=content):
            return _compare(before or "", content, "overwrites the file")
        case EditFile(replacements=replacements):
            return _edit_difference(replacements, before, exists=exists)
        case EditCell():
            return _cell_difference(change, before)


def difference_from(change: Change, seen: FileSnapshot) -> Difference:
    """Return the effect of a change on a file, without showing content that must stay hidden."""
    if not seen.hidden:
        return difference(change, seen.text, exists=seen.exists)
    why = HIDDEN[seen.hidden]
    match change:
        case WriteFile(content=text) | EditFile(replacements=(Replacement(old="", new=text),)):
            known = "overwrites the file" if seen.exists else "new file"
            kind = known if seen.hidden == "secret" else "writes the file"
            return Difference(text, kind, (why,), is_diff=False)
        case EditFile(replacements=replacements):
            return _replacements_only(replacements, why)
        case EditCell():
            return replace(_cell_difference(change, None), notes=(why,))


def unified(before: str, after: str) -> str:
    """Return a unified diff of two texts, without the header of file names."""
    old, new = _lines(before), _lines(after)
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    same_end = 0
    while same_end < min(len(old), len(new)) - same and old[-1 - same_end] == new[-1 - same_end]:
        same_end += 1
    if _max_steps(old[same : len(old) - same_end], new[same : len(new) - same_end]) > MAX_STEPS:
        return _hunk(old[same : len(old) - same_end], new[same : len(new) - same_end], same)
    start, end = max(same - CONTEXT, 0), max(same_end - CONTEXT, 0)
    lines = difflib.unified_diff(old[start : len(old) - end], new[start : len(new) - end], n=CONTEXT, lineterm="")
    return "\n".join(_shift_hunk(line, start) for line in list(lines)[2:])


def _max_steps(old: list[str], new: list[str]) -> int:
    """Return how many steps difflib takes at most: for each match, it may check all pairs of equal lines again."""
    counts = Counter(new)
    popular = (
        len(new) // 100 + 1 if len(new) >= 200 else len(new)
    )  # difflib ignores a line that makes up over 1 % of a text
    pairs = sum(counts[line] for line in old if counts[line] <= popular)
    return (pairs + len(old) + len(new)) * min(len(old), len(new))


def _shift_hunk(line: str, by: int) -> str:
    """Shift the line numbers of a hunk header to count from the beginning of the file."""
    found = _HUNK_HEADER.fullmatch(line)
    return f"@@ -{int(found[1]) + by}{found[2]} +{int(found[3]) + by}{found[4]} @@" if found else line


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def _hunk(old: list[str], new: list[str], start: int) -> str:
    head = f"@@ -{start + 1},{len(old)} +{start + 1},{len(new)} @@"
    return "\n".join([head, *(f"-{line}" for line in old), *(f"+{line}" for line in new)])


def _compare(before: str, after: str, kind: str, notes: tuple[str, ...] = ()) -> Difference:
    if before == after:
        return Difference("", kind, (*notes, "Nothing would change."))
    if _only_crlf(before) and _only_crlf(after):
        before, after = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
        notes = (*notes, "Lines end in CR LF.")
    return Difference(unified(before, after), kind, notes)


def _only_crlf(text: str) -> bool:
    return "\r\n" in text and "\r" not in text.replace("\r\n", "") and text.count("\n") == text.count("\r\n")


def _edit_difference(replacements: tuple[Replacement, ...], before: str | None, *, exists: bool) -> Difference:
    if before is None and not exists and len(replacements) == 1 and not replacements[0].old:
        return Difference(replacements[0].new, "new file", is_diff=False)
    if before is None:
        return _replacements_only(replacements, "The file could not be read, so only the replaced text is shown.")
    notes: tuple[str, ...] = ()
    if "\r\n" in before:  # the CLI edits such a file with LF, then writes it with the more frequent one
        mixed = not _only_crlf(before)
        notes = (MIXED_LINE_ENDS if mixed else "Lines end in CR LF.",)
        before = before.replace("\r\n", "\n")
    after, places, problem = _try_replacements(before, replacements)
    if problem:
        return _replacements_only(replacements, problem)
    if any(replacement.everywhere for replacement in replacements):
        what = "it" if len(replacements) == 1 else "text"
        count = f"{places} places" if places > 1 else "one place"
        notes = (*notes, f"Replaces {what} in {count}.")
    return _compare(before, after, "changes the file", notes)


def _try_replacements(before: str, replacements: tuple[Replacement, ...]) -> tuple[str, int, str]:
    """Return the new text and the number of replaced places, or the reason why they can't be shown."""
    if len(replacements) * len(before) > MAX_SEARCHED:
        return "", 0, "There are too many replacements to preview."
    after, places = before, 0
    for replacement in replacements:
        found = after.count(replacement.old) if replacement.old else 0
        if not found:
            return "", 0, "The text to replace is not in the current file."
        if found > 1 and not replacement.everywhere:
            return "", 0, f"The text to replace is in the file {found} times."
        if len(after) + found * len(replacement.new) > MAX_RESULT:
            return "", 0, f"The text to replace is in the file {found} times. The result is too long to show."
        old = _removed_text(after, replacement)
        places += after.count(old)
        after = after.replace(old, replacement.new)
    return after, places, ""


def _removed_text(text: str, replacement: Replacement) -> str:
    """Return the text that the CLI removes. When it deletes a text, it also deletes the line break after it."""
    old = replacement.old
    with_line_break = not replacement.new and not old.endswith("\n") and f"{old}\n" in text
    return f"{old}\n" if with_line_break else old


def _replacements_only(replacements: tuple[Replacement, ...], note: str) -> Difference:
    pieces = (_hunk(one.old.split("\n"), one.new.split("\n"), 0).partition("\n")[2] for one in replacements)
    text = "\n\n".join(pieces)
    everywhere = ("Replaces it everywhere in the file.",) if any(one.everywhere for one in replacements) else ()
    return Difference(text, "changes the file", (note, *everywhere))


def _cell_difference(change: EditCell, before: str | None) -> Difference:
    found = cell_change(change, before)
    if change.mode == "delete":
        return Difference(unified(f"{found.before}\n" if found.before else "", ""), found.words, found.notes)
    if found.before is None or found.before == change.source:
        return Difference(change.source, found.words, found.notes, is_diff=False)
    return _compare(f"{found.before}\n", f"{change.source}\n", found.words, found.notes)
