"""The words, calls, redirects and streams of a shell script."""

from dataclasses import dataclass

MAX_SOURCE = 20_000  # characters; tree-sitter would go on, but walking its tree in Python takes time


@dataclass(frozen=True, slots=True)
class PipeStream:
    """The content of a pipe, or of a file that the script writes."""

    text: str | None = None
    """None if it is only known when the script runs."""
    maker: "ProgramCall | None" = None
    """The program that wrote it."""
    downloaded: bool = False
    endless: bool = False
    decoded: bool = False
    """Whether it was decoded from something unreadable: `base64 -d`, `xxd -r`."""
    file: str = ""
    """The file that it is read from, if the script did not write it."""


@dataclass(frozen=True, slots=True)
class Word:
    """An argument as the program would get it."""

    text: str
    known: bool = True
    """False if a part is only known when it runs: `$X`, `$(…)`; that part stays as written."""
    source: PipeStream | None = None
    """The output that the unknown part comes from."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """A program and its arguments."""

    words: tuple[Word, ...]
    stdin: PipeStream | None = None
    """Its input; None if the script gives it none."""
    folders: tuple[str, ...] = ("",)
    """The folders that it may run in, relative to the project."""
    away: bool = False
    """Whether it sees other files: those of a container or of another machine."""

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
    """Join the output of two commands that run one after the other."""
    if first.text is not None and second.text is not None and len(first.text) + len(second.text) <= MAX_SOURCE:
        return PipeStream(
            first.text + second.text, second.maker or first.maker, decoded=first.decoded or second.decoded
        )
    unknown = second if second.text is None else first
    downloaded = first if first.downloaded else second
    maker = (downloaded if downloaded.downloaded else unknown).maker
    return PipeStream(None, maker, downloaded.downloaded, first.endless or second.endless)


def one_of(first: PipeStream, second: PipeStream) -> PipeStream:
    """Return the output if either command may run."""
    return first if first == second else concatenate(first, second)
