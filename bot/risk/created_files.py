"""The files and folders that a program writes from its input or from a download."""

from collections.abc import Iterator

from bot.risk.nested_commands import program, row_and_arguments
from bot.risk.program_arguments import CallArguments
from bot.risk.shell_types import PipeStream, ProgramCall

SHOWING = frozenset({"cat", "tac", "base64", "head", "tail", "rev", "xxd", "base32", "tr"})
_ENDLESS = frozenset({"/dev/zero", "/dev/urandom", "/dev/random"})
_DECODERS = frozenset({"xxd", "rev", "rot13", "tr", "uudecode"})
_DECODING = frozenset({"base64", "gbase64", "base32", "openssl"})
_BOUNDS = frozenset({"-c", "-n", "--bytes", "--lines", "count"})


def written_by(call: ProgramCall) -> Iterator[tuple[str, PipeStream]]:
    """Yield the files that a call writes, with their content; a name that ends with a slash is a folder."""
    name = program(call)
    known, arguments = row_and_arguments(call)
    stream = PipeStream(None, call, downloaded=True)
    words = arguments.positionals
    if known.fetches:
        yield from ((word.text, stream) for word in arguments.given(*known.writes, "-o", "--out"))
        yield from ((word.text.partition("?")[0].rpartition("/")[2], stream) for word in words if "/" in word.text)
        yield from ((word.text, stream) for word in words[1:] if name == "scp")
    elif name == "git" and words and words[0].text == "clone" and len(words) > 1:
        target = words[2].text if len(words) > 2 else words[1].text.rstrip("/").rpartition("/")[2].removesuffix(".git")
        if target and words[1].text[:1] not in ("/", "."):
            yield f"{target}/", stream
    elif name in ("tar", "bsdtar", "unzip", "7z", "cpio") and call.stdin is not None and call.stdin.downloaded:
        given = arguments.given("-C", "--directory", "-d", "-D")
        yield (f"{given[0].text.rstrip('/')}/" if given else "./"), call.stdin
    elif name in ("tee", "sponge") and call.stdin is not None:
        yield from ((word.text, call.stdin) for word in words)
    elif name == "dd" and call.stdin is not None:
        yield from ((text[3:], call.stdin) for text in call.texts[1:] if text.startswith("of="))
    elif name in ("base64", "uudecode", "openssl", "gpg") and (given := arguments.given("-o", "-out", "--output")):
        yield given[0].text, PipeStream(None, call)


def decodes(call: ProgramCall) -> bool:
    """Check whether a program decodes text that people can't read."""
    letters = "".join(text for text in call.texts[1:] if text.startswith("-"))
    return program(call) in _DECODERS or (program(call) in _DECODING and "d" in letters.lower())


def is_endless(call: ProgramCall, arguments: CallArguments) -> bool:
    """Check whether a program writes endlessly."""
    name = program(call)
    if name == "yes":
        return True
    names = {option for option, _ in arguments.options}
    return (
        name in ("cat", "tr", "tail", "xxd", "od", "base64", "pv")
        and not names & _BOUNDS
        and bool(_ENDLESS & set(call.texts))
    )
