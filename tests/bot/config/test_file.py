"""Tests that all mistakes in a configuration are reported together, each with its line and how to fix it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import InvalidConfig, load, toml
from bot.errors import ConfigError

PROJECT = """\
[projects.site{n}]
# The {n}th of many.
folder = "."
channels = [
    {n}01,  # the first
    {n}02,
]
model = "opus"
talk = {{ users = [7], roles = [] }}
decide = {{ users = [7] }}

[projects.site{n}.threads]
effort = "high"
environment = {{ NODE_ENV = "test" }}
system_prompt = \"\"\"
Answer in one line.
[this is no section]
\"\"\"

"""
MISTAKES = [
    (9, 'model = "opus"', "model = opus", "this is not a value; text needs quotation marks"),
    (23, 'folder = "."', 'folder = "nowhere"', "projects.site2.folder: there is no folder "),
    (
        33,
        'effort = "high"',
        'effort = "huge"',
        "projects.site2.threads.effort: 'huge' is not possible here; choose 'low'",
    ),
    (47, 'model = "opus"', 'modle = "opus"', "projects.site3.modle: there is no such setting; did you mean model?"),
    (52, 'effort = "high"', 'effort = "high" "low"', "there is more text after the value; remove it"),
    (68, "decide = { users = [7] }", "decide = { users = ['ada'] }", "projects.site4.decide.users.0: 'ada' is not a"),
    (102, "    602,", "    101,", "projects.site6.channels.1: 101 already belongs to site1; use another channel"),
    (124, "talk = { users = [7], roles = [] }", "talk = 7", "projects.site7.talk: this must be a section or a table"),
    (
        148,
        'environment = { NODE_ENV = "test" }',
        'environment = { DISCORD_X = "" }',
        "DISCORD_X is reserved for the bot",
    ),
    (165, "[projects.site9.threads]", "[projects.site9.threads", "the ] after a section's name is missing; add it"),
]


def test_ten_mistakes_in_two_hundred_lines_are_ten_sentences_in_order(tmp_path: Path) -> None:
    text = (
        "people = { users = [7] }\n"
        + "".join(PROJECT.format(n=n) for n in range(1, 11))
        + "[claude]\nidle_minutes = 5\n"
    )
    lines = [*text.split("\n"), *["# nothing more"] * 6]
    for line, right, wrong, _ in MISTAKES:
        assert lines[line - 1] == right
        lines[line - 1] = wrong
    path = tmp_path / "claude-discord.toml"
    path.write_text("\n".join(lines))
    with pytest.raises(InvalidConfig) as told:
        load(path)
    sentences = [str(mistake) for mistake in told.value.mistakes]
    assert len(lines) == 200
    assert len(sentences) == len(MISTAKES) == 10, sentences
    for sentence, (line, _, _, said) in zip(sentences, MISTAKES, strict=True):
        assert sentence.startswith(f"line {line}: "), sentence
        assert said in sentence


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("channels = [1, 2\nmodel = 'x'\n", [(1, "a list has no closing ]")]),
        ("channels = [\n  1\n  2,\n]\nmodel = x\n", [(1, "lacks a comma"), (5, "not a value")]),
        ("a = 1\na = 2\nb = 3\n", [(2, "set twice")]),
        ("[a]\nx = 1\n[a]\nx = 2\n", [(3, "there twice")]),
        ("a = 1\njust words\nb = x\n", [(2, "a setting is written `name = value`"), (3, "not a value")]),
        (
            "a = 'open\nb = 'open\n",
            [
                (1, "the closing quotation mark of a text is missing"),
                (2, "the closing quotation mark of a text is missing"),
            ],
        ),
        ("a = { b = 1\n", [(1, "")]),
        ('a = """never closed\n[x]\n', [(1, "")]),
        ("=\n=\n", [(1, ""), (2, "")]),
    ],
)
def test_reading_goes_on_behind_a_mistake(text: str, told: list[tuple[int, str]]) -> None:
    mistakes = toml.read(text).mistakes
    assert [mistake.line for mistake in mistakes] == [line for line, _ in told], mistakes
    for mistake, (_, said) in zip(mistakes, told, strict=True):
        assert said in mistake.reason


@given(st.text(alphabet=st.sampled_from("ab.=[]{}\"'#\n ,1\\é\x00"), max_size=60))
def test_any_text_is_read_to_an_end(text: str) -> None:
    document = toml.read(text)
    assert isinstance(document.raw, dict)
    assert all(mistake.reason for mistake in document.mistakes)


def test_a_text_is_read_as_it_was_written() -> None:
    document = toml.read('a = "one\u2028two\x85three"\r\nb = x\r\n')
    assert document.raw == {"a": "one\u2028two\x85three"}
    assert [mistake.line for mistake in document.mistakes] == [2]


@pytest.mark.parametrize("text", ["a = " + "[" * 5000 + "]" * 5000, "a = 1" + "0" * 5000])
def test_what_nobody_can_read_is_told(text: str) -> None:
    (mistake,) = toml.read(text).mistakes
    assert "simplify it" in mistake.reason


def test_the_line_of_a_key_is_found_however_it_is_written() -> None:
    text = "a.b = 1\n[c.'d e'] # x\nf = [\n  1,\n  # y\n  { g = 2 },\n]\n\"h.i\" = 3\n"
    document = toml.read(text)
    assert document.line(("a", "b")) == 1
    assert document.line(("c", "d e")) == 2
    assert document.line(("c", "d e", "f", 1, "g")) == 6
    assert document.line(("c", "d e", "h.i")) == 8
    assert document.line(("c", "d e", "not there", "at all")) == 2
    assert document.line(("nowhere",)) is None


def test_a_file_without_projects_may_have_roots_instead(tmp_path: Path) -> None:
    path = tmp_path / "claude-discord.toml"
    path.write_text("people = { users = [7] }\n")
    with pytest.raises(ConfigError, match="there is no project; add"):
        load(path)
    path.write_text('\ufeffpeople = { users = [7] }\nroots = ["."]\n')
    assert load(path).roots == (tmp_path.resolve(),)
