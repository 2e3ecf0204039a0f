"""Tests that a card and its files have everything that would run, in its order, and that drawing is linear."""

import functools
import gzip
import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.messages import Message
from bot.permission_requests.ticket import Ticket
from bot.render.cards.card import card
from bot.risk.project_paths import relative
from tests.fixtures.message_limits import texts
from tests.fixtures.shown_text import unreveal
from tests.fixtures.strategies import ANY_TEXT, INPUTS, JSON, TEXT
from tests.fixtures.tickets import FOLDER, asking, planning, question, ticket

LINES = st.lists(
    st.sampled_from(["a", "b", "", "x = 1", "  y", "אב", "@@ -1 +1 @@", "-", "+", "\\"]) | TEXT, max_size=12
)
FILE = st.tuples(LINES, st.sampled_from(["", "\n", "\n\n"])).map(lambda parts: "\n".join(parts[0]) + parts[1])


def attached(message: Message) -> dict[str, str]:
    """Read a card's files."""
    files = {}
    for file in message.files:
        packed = file.name.endswith(".gz")
        content = gzip.decompress(file.content) if packed else file.content
        files[file.name.removesuffix(".gz")] = content.decode("utf-8", "surrogatepass")
    return files


def block(message: Message, number: int = 0) -> str:
    """Return the original text of one of a card's code blocks, as a careful person would read it."""
    found: str = re.findall(r"```[a-z]*\n(.*?)\n```", texts(message), re.DOTALL)[number]
    return "" if found == "⟨empty⟩" else unreveal(found)


def body(message: Message, file: str) -> str:
    """Return the whole text, from its file if there is one, otherwise from the card."""
    files = attached(message)
    return files[file] if file in files else block(message)


def names(message: Message) -> str:
    """Return the original texts in inline code."""
    found = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?\n```", "", texts(message), flags=re.DOTALL))
    return "\n".join(unreveal(one.replace("⟨LF⟩", "⟨1 line break⟩").replace("⟨TAB⟩", "⟨1 tab⟩")) for one in found)


def same(one: object, other: object) -> bool:
    return json.dumps(one) == json.dumps(other)  # NaN is not equal to itself


def said(message: Message, text: str) -> bool:
    """Check whether a path or an id is on the card, or in the file with the input."""
    given = attached(message).get("input.json")
    return text in names(message) or (given is not None and text in json.loads(given).values())


@settings(max_examples=150, deadline=None)
@given(INPUTS["Bash"])
def test_all_of_a_command_is_there(arguments: dict[str, Any]) -> None:
    one = ticket("Bash", arguments)
    message = card(one)
    if "timeout" in arguments and not isinstance(arguments["timeout"], int | float):
        return
    assert body(message, "command.sh") == arguments["command"]
    if "x" in arguments:
        extra = {"x": arguments["x"]}
        given = attached(message).get("input.json")
        assert same(json.loads(given)["x"], arguments["x"]) if given else same(json.loads(block(message, 1)), extra)


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_all_of_a_new_file_is_there(path: str, content: str) -> None:
    message = card(ticket("Write", {"file_path": path, "content": content}))
    assert body(message, "content.txt") == content
    assert not path.strip() or said(message, relative(path, FOLDER)) or said(message, path)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, JSON, max_size=4))
def test_all_of_a_tools_arguments_are_there(arguments: dict[str, Any]) -> None:
    message = card(ticket("mcp__server__tool", arguments))
    assert same(json.loads(body(message, "input.json")), arguments)


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_all_of_a_fetch_is_there(url: str, prompt: str) -> None:
    message = card(ticket("WebFetch", {"url": url, "prompt": prompt}))
    assert body(message, "url.txt") == url
    if len(prompt) > 200:
        given = attached(message).get("input.json")
        assert (json.loads(given) if given else json.loads(block(message, 1)))["prompt"] == prompt


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT)
def test_all_of_a_plan_is_in_its_file_where_it_is_cut(plan: str) -> None:
    message = card(planning(plan))
    assert "plan.md" not in attached(message) or attached(message)["plan.md"] == plan
    assert "and more" not in texts(message) or "plan.md" in attached(message)


UNENDED = "\n\\ No newline at end of file"


def lines(text: str) -> list[str]:
    """Split a text into lines as a diff does: a last line without a line break is marked."""
    *whole, last = text.split("\n")
    return [*whole, last + UNENDED] if last else whole


def patched(before: str, diff: str) -> str:
    """Apply a unified diff; each of its lines must be where it says."""
    old, new, at = lines(before), [], 0
    left = diff.replace(UNENDED, "\uffff").split("\n") if diff else []
    while left:
        head = re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", left.pop(0))
        assert head is not None
        start, count, added = int(head[1]), int(head[2] or 1), int(head[4] or 1)
        start = start - 1 if count else start
        new += old[at:start]
        at = start
        while count or added:
            sign, line = left[0][0], left.pop(0)[1:].replace("\uffff", UNENDED)
            if sign in " -":
                assert old[at] == line
                at, count = at + 1, count - 1
            if sign in " +":
                new.append(line)
                added -= 1
    new += old[at:]
    text = "".join(f"{line}\n" for line in new)
    return text.replace(f"{UNENDED}\n", "")


@settings(max_examples=300, deadline=None)
@given(FILE, FILE)
def test_what_a_diff_shows_is_what_the_file_becomes(before: str, after: str) -> None:
    message = card(ticket("Write", {"file_path": "a.txt", "content": after}, before=before))
    if "Nothing would change" in texts(message):
        assert before == after
    elif "CR LF" not in texts(message):
        assert patched(before, body(message, "change.diff")) == after


@settings(max_examples=200, deadline=None)
@given(around=FILE, old=TEXT.filter(bool), new=TEXT, everywhere=st.booleans())
def test_what_an_edit_shows_is_what_the_file_becomes(around: str, old: str, new: str, *, everywhere: bool) -> None:
    before = f"{around}\n{old}\n{around}\n"
    arguments = {"file_path": "a.txt", "old_string": old, "new_string": new, "replace_all": everywhere}
    message = card(ticket("Edit", arguments, before=before))
    shown = texts(message)
    if "\r\n" in before:  # permission_requests/test_line_breaks.py tests those with the real Claude
        return
    if "The text to replace is in the file" in shown:
        assert not everywhere
        return
    with_its_break = not new and not old.endswith("\n") and f"{old}\n" in before  # Claude Code deletes it like this
    after = before.replace(f"{old}\n" if with_its_break else old, new)
    if "Nothing would change" in shown:
        assert before == after
    elif "CR LF" not in shown:
        assert patched(before, body(message, "change.diff")) == after


SHAPES: dict[str, str] = {
    "one line": "word ",
    "many lines": "a plain line of text\n",
    "empty lines": "\n",
    "addresses": "://a:",
    "blanks": " \t \n ",
    "backslashes and blanks": "\\  ",
    "backticks": "`",
    "backticks and letters": "```a`",
    "right to left": "אב گد ",
    "marks": "e\u0301\u0302",
    "marks on letters": "ש\u05b8\u05bc",
    "invisible": "a\u200b",
    "emoji": "👩‍👩‍👧 ",
    "brackets": "⟨x⟩",
    "markdown": "- *a* [b](c) `d` ||e||\n",
    "markdown that does not end": "`*[",
    "json": '{"a": "\\"',
}
CARDS: dict[str, Callable[[str], Ticket]] = {
    "Write": lambda text: ticket("Write", {"file_path": "a", "content": text}),
    "Write over another": lambda text: ticket(
        "Write", {"file_path": "a", "content": text}, before=text[: 2_000_000 // 3] + "x"
    ),
    "Edit": lambda text: ticket("Edit", {"file_path": "a", "old_string": "x", "new_string": text}, before="a\nx\nb\n"),
    "an unknown file": lambda text: ticket("Edit", {"file_path": "a", "old_string": text, "new_string": text}),
    "MCP": lambda text: ticket("mcp__a__b", {"x": text, text: [text]}),
    "notebook": lambda text: ticket("NotebookEdit", {"notebook_path": "a", "cell_id": text, "new_source": text}),
    "fetch": lambda text: ticket("WebFetch", {"url": text, "prompt": text}),
    "plan": planning,
    "question": lambda text: asking(question(text, text, "b")),
}
SIZES = (150_000, 600_000)
LARGE = (2_500_000, 10_000_000)
"""Sizes for a `Write`, in the shapes that were slow."""
SLOW = frozenset({"one line", "many lines", "addresses", "blanks", "right to left"})


def cost(draw: Callable[[], object]) -> float:
    """Return the CPU seconds that something takes."""
    before = time.thread_time()
    draw()
    return time.thread_time() - before


@pytest.mark.timeout(120)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_cost_of_a_card_grows_with_its_size_and_no_faster(shape: str) -> None:
    for kind, make in CARDS.items():
        costs = []
        for size in LARGE if kind == "Write" and shape in SLOW else SIZES:
            text = f"{kind} {size} " + SHAPES[shape] * (size // len(SHAPES[shape]) + 1)  # not cached yet
            one = make(text[:size])
            costs.append(cost(functools.partial(card, one)))
        first, last = costs
        assert last < 8 * first + 0.5, (kind, costs)  # four times the size; quadratic would be sixteen times


def test_a_change_that_would_fill_the_memory_is_told_and_not_made() -> None:
    arguments = {"file_path": "a", "old_string": "a", "new_string": "b" * 1_000_000, "replace_all": True}
    message = card(ticket("Edit", arguments, before="a" * 2_000_000))
    assert "is in the file 2000000 times. The result is too long to show." in texts(message)
    assert "b" * 1_000_000 in attached(message)["change.diff"]


def test_the_lines_of_a_hunk_are_counted_from_the_beginning_of_the_file() -> None:
    before = "".join(f"line {number}\n" for number in range(1000))
    message = card(ticket("Edit", {"file_path": "a", "old_string": "line 500\n", "new_string": "new\n"}, before=before))
    assert "@@ -498,7 +498,7 @@\n line 497" in texts(message)
