"""A line of Claude's prose, written so that Discord draws what was meant and our own lines stay ours."""

import re

SPAN = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
"""Inline code."""
_DEEP_HEADING = re.compile(r"#{4,6}\s+(.+?)\s*#*\Z")  # Discord draws three levels
_OURS = re.compile(r"\s*(?=-#|>>>)")  # small print is ours; a `>>>` would swallow all that follows
_LOOSE = re.compile(r"(?<!\\)`+")
_MOST_TICKS = 200  # in a line; matching them would take its square
_FENCES = re.compile(r"`{3,}")
_INVISIBLE = "\u200b"


def sealed(text: str) -> str:
    """Write code so that it can't close the block it stands in."""
    return _FENCES.sub(lambda run: _INVISIBLE.join(run[0]), text) if "```" in text else text


def adapted(line: str) -> str:
    """Write a line of prose so that Discord draws what was meant, and so that it stays a line of its own."""
    if heading := _DEEP_HEADING.match(line):
        line = f"**{heading[1].replace('**', '')}**"
    if ours := _OURS.match(line):
        line = f"{ours[0]}\\{line[ours.end() :]}"
    if "`" not in line:
        return line.replace("||", "\\|\\|")
    if line.count("`") > _MOST_TICKS:
        return _LOOSE.sub(_escaped, line).replace("||", "\\|\\|")
    out, done = [], 0
    for span in SPAN.finditer(line):
        out += [_prose(line[done : span.start()]), _code(span[1], span[2])]
        done = span.end()
    return "".join([*out, _prose(line[done:])])


def _prose(text: str) -> str:
    return _LOOSE.sub(_escaped, text).replace("||", "\\|\\|")


def _escaped(run: re.Match[str]) -> str:
    return "\\`" * len(run[0])


def _code(ticks: str, code: str) -> str:
    if "```" in code or (len(ticks) > 2 and "``" in code):
        return _prose(f"{ticks}{code}{ticks}")
    if len(ticks) < 3:
        return f"{ticks}{code}{ticks}"
    return f"`` {code.strip()} ``" if "`" in code else f"`{code.strip() or ' '}`"
