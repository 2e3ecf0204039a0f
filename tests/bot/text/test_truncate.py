"""Tests that text is cut to a length as Discord counts it."""

from hypothesis import given

from bot.text.truncate import utf16_length
from tests.fixtures.message_limits import utf16
from tests.fixtures.strategies import ANY_TEXT


@given(ANY_TEXT)
def test_size_is_counted_as_discord_counts(text):
    assert utf16_length(text) == utf16(text)
