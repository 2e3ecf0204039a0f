"""Tests that text too long for one message is split into complete messages."""

from hypothesis import given
from hypothesis import strategies as st

from bot.render.turns.text_lines import LONG
from tests.bot.render.turns.scripted_turn import ScriptedTurn, check, in_one_piece, judged
from tests.fixtures.strategies import ANY_MARKDOWN


def test_a_long_answer_splits_at_paragraphs_and_reopens_its_fences():
    paragraph = "The parser reads a token at a time and keeps the last one until it knows what follows. " * 6
    code = "```python\n" + "\n".join(f"def function_{n}(token):\n    return token + {n}\n" for n in range(60)) + "```"
    scripted = ScriptedTurn()
    scripted.says(f"# What I found\n\n{paragraph}\n\n{paragraph}\n\n## The code\n\n{code}\n\n{paragraph}")
    scripted.ends()
    check(scripted.view.messages({}))
    judged("long-answer", [scripted.shown()])


tame_line = st.text(st.sampled_from("abcdefgh .,;:!?äß漢😀"), max_size=300)
tame_block = st.one_of(
    st.lists(tame_line, min_size=1, max_size=6).map("\n".join),
    st.lists(tame_line, min_size=1, max_size=40).map(lambda lines: "```python\n" + "\n".join(lines) + "\n```"),
)
tame = st.lists(tame_block, min_size=1, max_size=12).map("\n\n".join).filter(lambda text: len(text) <= LONG)


@given(ANY_MARKDOWN)
def test_every_message_of_any_text_fits_and_closes_its_fences(text: str):
    check(in_one_piece(text))


@given(tame)
def test_joining_the_messages_gives_the_text_back(text: str):
    shown = "\n".join(message.text for message in in_one_piece(text)[:-1]) + "\n"
    last = in_one_piece(text)[-1].text
    shown += last[: last.rfind("-# ")]
    assert _ink(shown) == _ink(text)


def _ink(text: str) -> str:
    """Return the text without white space and without the fences that a split adds."""
    return "".join("".join(line.split()) for line in text.split("\n") if not line.startswith("```"))
