"""Output of the commands, for a person at a terminal or for a program."""

import json
import sys
import unicodedata

from pydantic import BaseModel


def print_model(answer: BaseModel) -> None:
    print(answer.model_dump_json(), flush=True)


def printable(text: str) -> str:
    """Replace control characters: a text from Claude or anyone else must not control the terminal."""
    return "".join(
        char if char in "\n\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs"} else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )


def one_line(text: str) -> str:
    """Replace control characters and put the text on one line."""
    return " ".join(printable(text).split())


def write(text: str) -> None:
    """Write part of an answer and flush, as someone is waiting for it."""
    sys.stdout.write(printable(text))
    sys.stdout.flush()


def print_note(text: str) -> None:
    """Print a remark on stderr, so that stdout has only the answer."""
    print(printable(text), file=sys.stderr, flush=True)


def confirm(question: str) -> bool:
    """Ask on stderr, so that stdout has only what a program reads."""
    sys.stderr.write(f"{printable(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold().startswith("y")


def print_json(fields: object) -> None:
    print(json.dumps(fields, ensure_ascii=False), flush=True)
