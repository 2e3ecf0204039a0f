"""Tests that a card describes an edit's line breaks as the real Claude writes them."""

from pathlib import Path
from typing import Any

import pytest

from bot.claude.file_reader import look_at
from bot.ports import ReadScope
from bot.render.cards.card import card
from sandbox.messages_api.server import MessagesApi
from sandbox.scripts.script import Say, Use, script
from tests.bot.masking.test_card_text import words
from tests.fixtures.bot_setup import BotSetup, shown
from tests.fixtures.tickets import ticket


@pytest.mark.parametrize(
    ("use", "file", "says"),
    [
        pytest.param(
            ("Edit", {"old_string": " # x", "new_string": ""}),
            (b"rm -rf build # x\n/src\n", b"rm -rf build/src\n"),
            "-rm -rf build # x\n-/src\n+rm -rf build/src",
            id="what is deleted at the end of a line takes its break along",
        ),
        pytest.param(
            ("Edit", {"old_string": "b", "new_string": "", "replace_all": True}),
            (b"a b c\nd b\ne b\n", b"a b c\nd e "),
            " a b c\n-d b\n-e b\n+d e ",
            id="and only there, where it is deleted everywhere",
        ),
        pytest.param(
            ("Write", {"content": "one\ntwo\n"}),
            (b"one\r\ntwo\r\n", b"one\ntwo\n"),
            "-one⟨CR⟩\n-two⟨CR⟩\n+one\n+two",
            id="a file is written with the breaks that it is given",
        ),
        pytest.param(
            ("Edit", {"old_string": "one\n", "new_string": "1\n"}),
            (b"one\r\ntwo\r\n", b"1\r\ntwo\r\n"),
            "-one\n+1\n two\n```\n-# Lines end in CR LF.",
            id="and edited with those that it has",
        ),
        pytest.param(
            ("Edit", {"old_string": "one", "new_string": "1"}),
            (b"one\r\ntwo\nthree\r\n", b"1\r\ntwo\r\nthree\r\n"),
            "makes them all the same",
            id="or with the more frequent",
        ),
    ],
)
async def test_a_card_shows_what_the_real_claude_makes_of_line_breaks(
    real_setup: BotSetup, api: MessagesApi, use: tuple[str, dict[str, Any]], file: tuple[bytes, bytes], says: str
) -> None:
    setup = real_setup
    (tool, change), (before, after) = use, file
    path = setup.project / "a.txt"
    path.write_bytes(before)
    arguments = {"file_path": str(path), **change}
    api.on("Please go", script([Use("Read", {"file_path": str(path)})], [Use(tool, arguments)], [Say("Went on.")]))
    async with setup.bot():
        thread = await setup.say("Please go")
        asked = await setup.card(thread, "a file?")
        assert says in shown(asked)
        await setup.ada.click(asked, "Allow")
        await setup.ada.sees(thread, "Went on.", within=20)
        assert path.read_bytes() == after


def test_a_lone_carriage_return_in_a_file_is_shown_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"echo a\rrm x\n")
    seen = look_at("a.sh", ReadScope(tmp_path, (), content=True))
    edit = {"file_path": str(tmp_path / "a.sh"), "old_string": "echo a", "new_string": "echo b"}
    assert "-echo a⟨CR⟩rm x\n+echo b⟨CR⟩rm x" in words(card(ticket("Edit", edit, file=seen)))
