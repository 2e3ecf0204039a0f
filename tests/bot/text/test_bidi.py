"""Tests in a browser that right-to-left letters on a card appear in the order of the command."""

import itertools
import math
import re
import unicodedata
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.async_api import Page as Tab

from bot.render.cards.card import card
from bot.text.code_block import code_block, inline_code
from sandbox import discord
from sandbox.discord import TimeLimits
from sandbox.page import server as page_server
from sandbox.page.server import PageInfo
from tests.fixtures.browser import Opening, fixture
from tests.fixtures.discord_server import new_server
from tests.fixtures.message_limits import texts
from tests.fixtures.tickets import bash, ticket

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAW = """async ([text, direction]) => {
  const { markdown } = await import("./static/js/markdown.js");
  const names = { user: String, role: String, channel: String };
  const drawn = document.createElement("div");
  drawn.style = "position: absolute; width: 6000px; text-align: left";
  drawn.dir = direction;
  drawn.append(markdown(text, names));
  for (const code of drawn.querySelectorAll("pre, code"))
    Object.assign(code, { dir: direction, style: "max-width: none" });
  document.body.append(drawn);
  const found = [];
  const walker = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const range = document.createRange();
    let at = 0;
    for (const character of walker.currentNode.data) {
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at += character.length);
      const box = range.getClientRects()[0];
      found.push([character, box ? box.left : 0, box ? box.right : 0]);
    }
  }
  drawn.remove();
  return found;
}"""
COMMANDS = {
    "two names": 'cp "אב" "גד"',
    "two names and no quotes": "cp אב גד",
    "arabic": "mv قديم جديد",
    "numbers between": "head -n אב 12 גד 34",
    "arabic digits": "seq ٣ ٤ ٥",
    "arabic digits with signs": "expr ٣-٤+٥",
    "arabic letters before digits": "echo قد 12 / 34",
    "a path": "rm -rf /srv/אב/גד/../הו",
    "brackets": "f(אב)[גד]{הו} <זח>",
    "an arrow": "אב > גד",
    "a pipe": "אב | גד && הו ; זח",
    "a line that begins with one": "אב=1 גד=2 run",
    "several lines": "אב גד\nab cd\nהו זח",
    "letters with marks": "cp שָׁלוֹם עוֹלָם",
    "with latin letters inside": "cp אבcdגד הוefזח",
    "an assignment": "x = [אב, גד, 1, 2, ٣, ٤]",
    "syriac and thaana": "cp ܫܠܡܐ ދިވެހި",
    "with a letter beyond the first plane": "cp 𐤀𐤁 𐤂𐤃",
    "nothing of the kind": "cp a b",
}
CARDS: list[tuple[str, dict[str, Any], str | None]] = [
    ("Write", {"file_path": "אב/גד.txt", "content": "אב = גד\nהו -> זח"}, None),
    ("Write", {"file_path": "אב/גד.txt", "content": "אב = גד\n"}, "אב = הו\n"),
    ("Edit", {"file_path": "a.txt", "old_string": "אב, גד", "new_string": "גד, אב"}, "x\nאב, גד\n"),
    ("mcp__files__move", {"source": "אב", "destination": "גד", "אב": "גד"}, None),
    ("Read", {"file_path": "/srv/אב/גד"}, None),
    ("NotebookEdit", {"notebook_path": "a.ipynb", "cell_id": "אב גד", "new_source": "אב = גד"}, None),
    ("ExitPlanMode", {"plan": "First `cp אב גד`, then\n```\nrm אב | גד\n```"}, None),
    ("AskUserQuestion", {"questions": [{"question": "Run `cp אב גד`?", "options": [{"label": "a"}]}]}, None),
]
Drawn = list[tuple[str, float, float]]


@fixture
async def tab(opening: Opening) -> AsyncIterator[Tab]:
    """The sandbox's page, whose script renders Markdown."""
    async with discord.serve(pace=TimeLimits(speed=math.inf)) as world:
        there = new_server(world)
        about = PageInfo("Nobody", "", (there.ada.user,), there.channel)
        async with page_server.serve(world, about) as page:
            yield await opening(page.address)


async def drawn(tab: Tab, text: str, direction: str) -> Drawn:
    found: list[Any] = await tab.evaluate(DRAW, [text, direction])
    return [(character, left, right) for character, left, right in found]


def kind(character: str) -> str:
    """Return the kind of a character: words of right-to-left letters may run to the left, nothing else may."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ""
    found = unicodedata.bidirectional(character)
    return {"R": "leftwards", "AL": "leftwards", "AN": "digits"}.get(found, character)


def word_of(drawn: tuple[str, float, float]) -> object:
    """Return what to group a character by: the word for right-to-left letters, otherwise the character itself."""
    return kind(drawn[0]) if len(kind(drawn[0])) > 1 else drawn


def misplaced(found: Drawn) -> list[tuple[str, str]]:
    """List neighbours in a line where the second is drawn left of the first."""
    wrong = []
    for line in lines(found):
        words = [
            list(word)
            for _, word in itertools.groupby(line, lambda each: kind(each[0]) if len(kind(each[0])) > 1 else each)
        ]
        for word, following in itertools.pairwise(words):
            if min(each[1] for each in following) < max(each[2] for each in word) - 1:
                wrong.append(("".join(each[0] for each in word), "".join(each[0] for each in following)))
    return wrong


def lines(found: Drawn) -> list[Drawn]:
    """Return the visible characters, line by line."""
    parted = [list(line) for _, line in itertools.groupby(found, lambda each: each[0] == "\n")]
    return [[each for each in line if kind(each[0]) and each[2] > each[1]] for line in parted if line[0][0] != "\n"]


async def test_without_marks_the_two_names_change_places(tab: Tab) -> None:
    assert misplaced(await drawn(tab, '```\ncp "אב" "גד"\n```', "ltr"))


@pytest.mark.parametrize("direction", ["ltr", "auto"])
async def test_a_command_is_drawn_in_its_order(tab: Tab, direction: str) -> None:
    for name, command in COMMANDS.items():
        (code,) = re.findall(r"```sh\n.*?\n```", texts(card(bash(command))), re.DOTALL)
        found = await drawn(tab, code, direction)
        assert "".join(each[0] for each in found).replace("\u200e", "") == command
        assert misplaced(found) == [], name
        assert misplaced(await drawn(tab, inline_code(command), direction)) == [], name


async def test_every_part_of_a_card_is_drawn_in_its_order(tab: Tab) -> None:
    for tool, arguments, before in CARDS:
        message = card(ticket(tool, arguments, before=before))
        codes = re.findall(r"```.*?\n```|`[^`\n]+`", texts(message), re.DOTALL)
        assert codes
        for code in codes:
            assert misplaced(await drawn(tab, code, "auto")) == [], tool


async def test_a_long_text_keeps_its_order_where_it_is_cut(tab: Tab) -> None:
    for size in (300, 400, 500):
        shown = code_block('אב "גד" ' * 10_000, "sh", size, "command.sh")
        assert misplaced(await drawn(tab, shown.markdown, "auto")) == []


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text("אבגد٣٤12ab \t\n\"'/-.,:()[]<>|=+$%ש\u05b8\u0651é世", min_size=1, max_size=40))
async def test_any_text_is_drawn_in_its_order(tab: Tab, text: str) -> None:
    for direction in ("ltr", "auto"):
        assert misplaced(await drawn(tab, code_block(text, "", 3000, "x").markdown, direction)) == []
