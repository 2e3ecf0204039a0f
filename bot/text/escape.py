"""Text escaped for Discord: a person's without any markdown, Claude's with the markdown that Discord can draw."""

import re

from bot.masking import mask
from bot.text.bidi import isolated, left_to_right
from bot.text.hidden_characters import PROSE, show_hidden
from bot.text.truncate import beginning, truncate

SPAN = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
"""Inline code."""
_DEEP_HEADING = re.compile(r"#{4,6}\s+(.+?)\s*#*\Z")  # Discord draws three levels
_OURS = re.compile(r"\s*(?=-#|>>>)")  # small print is ours; a `>>>` would swallow all that follows
_LOOSE = re.compile(r"(?<!\\)`+")
_MOST_TICKS = 200  # in a line; matching them would take its square
_FENCES = re.compile(r"`{3,}")
_INVISIBLE = "\u200b"
_LITERAL = re.compile(r"(`[^`\n]+`|https?://[A-Za-z0-9/._~%?=&#+-]+)")  # code and links keep their characters
_MARKDOWN = re.compile(r"([\\*_~|`<>\[\]()@])|^([^\S\n]*)([-+#])", re.MULTILINE)


def escape_markdown(text: str) -> str:
    """Write prose so that it reads as it was typed: only inline code and links keep a meaning in markdown."""
    return _escape_markdown(show_hidden(mask(text), PROSE))  # escaped, a secret is not known as one


def escape_line(text: str, limit: int) -> str:
    """Write prose in one line of at most about `limit` characters, its markdown escaped."""
    return isolated(_escape_markdown(truncate(one_line(text), limit)))


def one_line(text: str) -> str:
    """Write a text for a label or a menu, where Discord draws no markdown: in one line, nothing hidden."""
    return " ".join(show_hidden(mask(beginning(text)), PROSE).split())


def escape_fences(text: str) -> str:
    """Write code so that it can't close the code block it stands in."""
    return _FENCES.sub(lambda run: _INVISIBLE.join(run[0]), text) if "```" in text else text


def discord_markdown(line: str) -> str:
    """Write a line of Claude's markdown so that Discord draws what was meant, and only in this line."""
    if heading := _DEEP_HEADING.match(line):
        line = f"**{heading[1].replace('**', '')}**"
    if ours := _OURS.match(line):
        line = f"{ours[0]}\\{line[ours.end() :]}"
    if "`" not in line:
        return line.replace("||", "\\|\\|")
    if line.count("`") > _MOST_TICKS:
        return _LOOSE.sub(_escape_backticks, line).replace("||", "\\|\\|")
    out, done = [], 0
    for span in SPAN.finditer(line):
        out += [_prose(line[done : span.start()]), _code(span[1], span[2])]
        done = span.end()
    return "".join([*out, _prose(line[done:])])


def _prose(text: str) -> str:
    return _LOOSE.sub(_escape_backticks, text).replace("||", "\\|\\|")


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
