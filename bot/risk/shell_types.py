"""The words, calls, redirects and streams of a shell script."""

from dataclasses import dataclass

MOST_SOURCE = 20_000  # characters; tree-sitter would go on, but walking its tree in Python takes time


@dataclass(frozen=True, slots=True)
class PipeStream:
    """What flows through a pipe, or is in a file that the script itself writes."""

    text: str | None = None
    """None: it is only known when the script runs."""
    maker: "ProgramCall | None" = None
    """The program that wrote it."""
    downloaded: bool = False
    endless: bool = False
    decoded: bool = False
    """Whether it was decoded from something that nobody can read: `base64 -d`, `xxd -r`."""
    file: str = ""
    """The file that it is read from, where the script did not write it."""


@dataclass(frozen=True, slots=True)
class Word:
    """One argument, as the program would get it."""

    text: str
    known: bool = True
    """False when a part is only known once it runs: `$X`, `$(…)`; that part is kept as written."""
    source: PipeStream | None = None
    """What writes the part that is not known."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """One program and its arguments."""

    words: tuple[Word, ...]
    stdin: PipeStream | None = None
    """What it reads; None: nothing from this script."""
    folders: tuple[str, ...] = ("",)
    """The folders that it may run in, relative to the project."""
    away: bool = False
    """It sees other files than these: those of a container, or of another machine."""

    @property
    def program(self) -> str:
        return self.words[0].text.rpartition("/")[2] if self.words else ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)

    def __str__(self) -> str:
        return " ".join(self.texts)


@dataclass(frozen=True, slots=True)
class Redirect:
    operator: str
    target: Word
    folders: tuple[str, ...] = ("",)

    @property
    def writes(self) -> bool:
        return ">" in self.operator


UNKNOWN_STREAM = PipeStream()


def stream_origin(word: Word) -> tuple[ProgramCall | None, bool]:
    """Return the program that writes the unknown part of a word, and whether that is downloaded."""
    return (word.source.maker, word.source.downloaded) if word.source else (None, False)


def concatenate(first: PipeStream, second: PipeStream) -> PipeStream:
    """Join what two commands write one after the other."""
    if first.text is not None and second.text is not None and len(first.text) + len(second.text) <= MOST_SOURCE:
        return PipeStream(
            first.text + second.text, second.maker or first.maker, decoded=first.decoded or second.decoded
        )
    unknown = second if second.text is None else first
    downloaded = first if first.downloaded else second
    maker = (downloaded if downloaded.downloaded else unknown).maker
    return PipeStream(None, maker, downloaded.downloaded, first.endless or second.endless)


def one_of(first: PipeStream, second: PipeStream) -> PipeStream:
    """Return what is written where either command may run."""
    return first if first == second else concatenate(first, second)
