"""What the verbs write: for a person at a terminal, or for a program."""

import json
import sys
import unicodedata

from pydantic import BaseModel


def write_json(answer: BaseModel) -> None:
    print(answer.model_dump_json(), flush=True)


def plain(text: str) -> str:
    """Take the terminal's own language out of a text: what Claude or anybody else wrote must not steer it."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"} else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )


def line(text: str) -> str:
    """The same, on one line."""
    return " ".join(plain(text).split())


def write(text: str) -> None:
    """Write a piece at once, where a person waits for it."""
    sys.stdout.write(plain(text))
    sys.stdout.flush()


def note(text: str) -> None:
    """Say something that is not the answer itself."""
    print(plain(text), file=sys.stderr, flush=True)


def confirm(question: str) -> bool:
    """Ask whoever sits there, beside what is written for a program."""
    sys.stderr.write(f"{plain(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold().startswith("y")


def json_of(fields: object) -> None:
    print(json.dumps(fields, ensure_ascii=False), flush=True)
