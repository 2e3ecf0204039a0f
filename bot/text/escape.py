"""Escapes text for Discord: plain text without any markdown, Claude's with the markdown that Discord supports."""

import re

from bot.masking import mask
from bot.text.bidi import isolate, left_to_right
from bot.text.hidden_characters import PROSE, show_hidden
from bot.text.truncate import beginning, truncate

INLINE_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
"""Inline code."""
_DEEP_HEADING = re.compile(r"#{4,6}\s+(.+?)\s*#*\Z")  # Discord draws three levels
_BOT_ONLY = re.compile(r"\s*(?=-#|>>>)")  # small print is only for the bot; `>>>` would quote all that follows
_LOOSE_BACKTICKS = re.compile(r"(?<!\\)`+")
_MAX_BACKTICKS = 200  # in a line; matching them takes quadratic time
_FENCES = re.compile(r"`{3,}")
_INVISIBLE = "\u200b"
_LITERAL = re.compile(r"(`[^`\n]+`|https?://[A-Za-z0-9/._~%?=&#+-]+)")  # code and links keep their characters
_MARKDOWN = re.compile(r"([\\*_~|`<>\[\]()@])|^([^\S\n]*)([-+#])", re.MULTILINE)


def escape_markdown(text: str) -> str:
    """Escape markdown in prose, except for inline code and links."""
    return _escape_markdown(show_hidden(mask(text), PROSE))  # mask before escaping: an escaped secret is not recognized


def escape_line(text: str, limit: int) -> str:
    """Return prose in one line of about `limit` characters at most, with its markdown escaped."""
    return isolate(_escape_markdown(truncate(one_line(text), limit)))


def one_line(text: str) -> str:
    """Return a text in one line without hidden characters, for a label or menu, where Discord draws no markdown."""
    return " ".join(show_hidden(mask(beginning(text)), PROSE).split())


def escape_fences(text: str) -> str:
    """Escape code so that it can't close the code block around it."""
    return _FENCES.sub(lambda run: _INVISIBLE.join(run[0]), text) if "```" in text else text


def discord_markdown(line: str) -> str:
    """Convert a line of Claude's markdown for Discord, without effects on other lines."""
    if heading := _DEEP_HEADING.match(line):
        line = f"**{heading[1].replace('**', '')}**"
    if reserved := _BOT_ONLY.match(line):
        line = f"{reserved[0]}\\{line[reserved.end() :]}"
    if "`" not in line:
        return line.replace("||", "\\|\\|")
    if line.count("`") > _MAX_BACKTICKS:
        return _LOOSE_BACKTICKS.sub(_escape_backticks, line).replace("||", "\\|\\|")
    out, done = [], 0
    for span in INLINE_CODE.finditer(line):
        out += [_prose(line[done : span.start()]), _code(span[1], span[2])]
        done = span.end()
    return "".join([*out, _prose(line[done:])])


def _prose(text: str) -> str:
    return _LOOSE_BACKTICKS.sub(_escape_backticks, text).replace("||", "\\|\\|")


def _escape_backticks(run: re.Match[str]) -> str:
    return "\\`" * len(run[0])


def _escape_markdown(text: str) -> str:
    pieces = _LITERAL.split(text)
    return "".join(
        left_to_right(piece) if odd % 2 else _MARKDOWN.sub(_escaped, piece) for odd, piece in enumerate(pieces)
    )


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def _code(ticks: str, code: str) -> str:
    if "```" in code or (len(ticks) > 2 and "``" in code):
        return _prose(f"{ticks}{code}{ticks}")
    if len(ticks) < 3:
        return f"{ticks}{code}{ticks}"
    return f"`` {code.strip()} ``" if "`" in code else f"`{code.strip() or ' '}`"
