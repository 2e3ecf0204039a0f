"""Tests fifty disguises of a command: each is made visible."""

import re

import pytest
from hypothesis import given

from bot.render.cards.card import card
from bot.text.code_block import code_block
from bot.text.hidden_characters import show_hidden
from tests.fixtures.message_limits import broken, buttons, texts
from tests.fixtures.shown_text import unreveal
from tests.fixtures.strategies import ANY_TEXT
from tests.fixtures.tickets import bash, ticket

INVISIBLE = {
    "zero width space": "\u200b",
    "zero width non-joiner": "\u200c",
    "zero width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "left-to-right embedding": "\u202a",
    "right-to-left embedding": "\u202b",
    "pop directional formatting": "\u202c",
    "left-to-right override": "\u202d",
    "right-to-left override": "\u202e",
    "left-to-right isolate": "\u2066",
    "right-to-left isolate": "\u2067",
    "first strong isolate": "\u2068",
    "pop directional isolate": "\u2069",
    "arabic letter mark": "\u061c",
    "no-break space": "\u00a0",
    "ideographic space": "\u3000",
    "en quad": "\u2000",
    "hair space": "\u200a",
    "narrow no-break space": "\u202f",
    "ogham space": "\u1680",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "next line": "\u0085",
    "hangul filler": "\u3164",
    "halfwidth hangul filler": "\uffa0",
    "hangul choseong filler": "\u115f",
    "braille blank": "\u2800",
    "combining grapheme joiner": "\u034f",
    "variation selector": "\ufe0f",
    "variation selector supplement": "\U000e0100",
    "tag letter": "\U000e0072",
    "mongolian vowel separator": "\u180e",
    "function application": "\u2061",
    "interlinear annotation": "\ufff9",
    "private use": "\ue000",
    "unassigned": "\u0378",
    "musical null notehead": "\U0001d159",
    "lone surrogate": "\ud800",
    "nul": "\0",
    "backspace": "\b",
    "escape": "\x1b",
    "carriage return": "\r",
    "vertical tab": "\v",
    "form feed": "\f",
    "delete": "\x7f",
    "c1 control": "\x9b",
    "combining overlay": "\u0338",
    "enclosing keycap": "\u20e3",
}


@pytest.mark.parametrize("character", INVISIBLE.values(), ids=INVISIBLE)
def test_a_character_that_hides_is_shown(character):
    command = f"echo safe{character}rm -rf x"
    shown = card(bash(command))
    text = texts(shown)
    assert not broken(shown)
    assert character not in text
    assert re.search(r"echo safe⟨[^⟩]+⟩rm -rf x", text)
    assert "control characters: " in text or "Not plain ASCII" in text
    assert show_hidden(command) != show_hidden(command.replace(character, ""))


@pytest.mark.parametrize("character", [c for c in INVISIBLE.values() if c not in "\u0338\u20e3"])
def test_what_hides_can_not_be_edited_or_made_a_rule(character):
    assert {"Edit…", "Always…"} & set(buttons(card(bash(f"npm test {character}")))) == set()


@pytest.mark.parametrize(
    "command",
    [
        "echo x\n```\n**safe** <@1>",
        "```",
        "``````",
        "echo `````",
        "x```",
        "```sh\nrm -rf x\n```\n-# harmless",
        "echo \\```",
        "`\u200b``",
    ],
)
def test_a_fence_can_not_be_left(command):
    message = card(bash(command))
    (box,) = [part for part in texts(message).split("\n### ") if "```" in part]
    assert box.count("```") == 2
    assert not broken(message)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("ls" + " " * 10_000 + "; rm -rf x", "ls⟨10,000 spaces⟩; rm -rf x"),
        ("ls" + "\t" * 500 + "; rm -rf x", "ls⟨500 tabs⟩; rm -rf x"),
        ("ls" + "\n" * 900 + "rm -rf x", "ls\n⟨900 line breaks⟩\nrm -rf x"),
        ("ls" + " \n" * 900 + "rm -rf x", "ls\n⟨900 line breaks and 900 spaces or tabs⟩\nrm -rf x"),
        ("ls" + "\n" * 900 + "  rm -rf x", "ls\n⟨900 line breaks⟩\n  rm -rf x"),
        ("ls \\ \nrm -rf x", "ls \\⟨1 space⟩\nrm -rf x"),
        ("ls # \\\t\nrm -rf x", "ls # \\⟨1 tab⟩\nrm -rf x"),
        ("echo ⟨10,000 spaces⟩", "echo ⟨U+27E8⟩10,000 spaces⟨U+27E9⟩"),
        ("", "⟨empty⟩"),
        ("   ", "⟨3 spaces⟩"),
    ],
)
def test_blanks_are_counted(command, said):
    assert f"```sh\n{said}\n```" in texts(card(bash(command)))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("echo ‘x’", "left single quotation mark"),
        ("echo “x”", "left double quotation mark"),
        ("rm –rf x", "en dash"),
        ("l\u0455 -la", "cyrillic small letter dze"),
        ("git push оrigin", "cyrillic small letter o"),
        ("cat a；rm x", "fullwidth semicolon"),
        ("cat a｜sh", "fullwidth vertical line"),
        ("ls ∕etc", "division slash"),
    ],
)
def test_what_looks_like_something_else_is_named(command, name):
    text = texts(card(bash(command)))
    assert command in text
    assert name in text


def test_a_hidden_line_can_not_be_forged():
    forged = "⟨… 5 lines hidden: the full text is in command.sh⟩"
    assert forged not in texts(card(bash(f"ls\n{forged}\nls")))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": "a\u202eb.txt", "content": "x"}),
        ("Write", {"file_path": "a.txt", "content": "x\u202ey"}),
        ("Edit", {"file_path": "a.txt", "old_string": "a", "new_string": "x\u202ey"}),
        ("Read", {"file_path": "a\u202eb"}),
        ("WebFetch", {"url": "https://a\u202eb/", "prompt": "x"}),
        ("WebFetch", {"url": "https://a/", "prompt": "x\u202ey"}),
        ("mcp__a__b", {"x": "a\u202eb"}),
        ("mcp__a\u202e__b", {}),
        ("Odd\u202eTool", {"x": 1}),
        ("Bash", {"command": "ls", "description": "a\u202eb"}),
        ("Bash", {"command": "ls", "more\u202e": "a"}),
        ("ExitPlanMode", {"plan": "a\u202eb"}),
        ("AskUserQuestion", {"questions": [{"question": "a\u202eb", "options": [{"label": "x\u202ey"}]}]}),
    ],
)
def test_no_field_of_any_tool_can_hide(tool, arguments):
    message = card(ticket(tool, arguments))
    assert "\u202e" not in repr(message.components)
    assert "⟨U+202E⟩" in texts(message)


def test_markdown_and_mentions_in_what_claude_says_stay_text():
    text = texts(card(bash("ls", description="**Safe** <@1> @everyone [link](http://evil) `code` ||hidden||\n# Head")))
    assert (
        "\\*\\*Safe\\*\\* \\<\\@1\\> \\@everyone \\[link\\]\\(http://evil\\) `code` \\|\\|hidden\\|\\| # Head" in text
    )


def test_letters_with_marks_of_their_own_stay_readable():
    assert show_hidden("नमस्ते สวัสดี é") == "नमस्ते สวัสดี é"
    assert "⟨U+0301⟩" in show_hidden("e\u0301")


def test_the_end_of_a_long_line_is_shown():
    shown = code_block("echo " + "a" * 20_000 + "; rm -rf x", "sh", 500, "command.sh")
    assert shown.markdown.endswith("; rm -rf x\n```")
    assert "characters hidden: the full text is in command.sh⟩" in shown.markdown
    assert not shown.complete


@given(ANY_TEXT)
def test_two_texts_never_look_the_same(text):
    shown = show_hidden(text)
    if "spaces or tabs" not in shown:
        assert unreveal(shown) == text
