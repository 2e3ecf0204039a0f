"""What the verbs share that ask the running bot."""

import argparse
import json
import sys
import unicodedata
from pathlib import Path

from pydantic import BaseModel

from bot import config
from bot.admin.door import Door


def state_folder(arguments: argparse.Namespace) -> Path:
    """Find the bot's state folder; a file with a mistake elsewhere still names it."""
    return config.state_of(arguments.config or config.find())


def door(arguments: argparse.Namespace) -> Door:
    return Door(state_folder(arguments))


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


def json_of(fields: object) -> None:
    print(json.dumps(fields, ensure_ascii=False), flush=True)
