"""Print the candidates for the next word of a command line, one per line, with a description after a tab."""

import argparse
import tomllib
from collections.abc import Iterator, Sequence

from bot.cli.arguments import parser
from bot.cli.config_path import trusted_config
from bot.cli.running_bot import state_folder_of
from bot.errors import BotError
from bot.local_api.client import BotClient
from bot.local_api.owner_protocol import SESSIONS_ROUTE, SessionsAnswer

HIDDEN = "complete"


def execute(arguments: argparse.Namespace) -> int:
    words = [word for word in arguments.words[:1] if word != "--"] + arguments.words[1:]
    *before, last = words or [""]
    for word, meaning in sorted(candidates(before, last)):
        print(f"{word}\t{meaning}" if meaning else word)
    return 0


def candidates(before: Sequence[str], last: str) -> Iterator[tuple[str, str]]:
    """Return the candidates that begin with `last`, each with its description."""
    top = parser()
    verbs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))  # noqa: SLF001 - argparse has no public way
    verb = next((word for word in before if word in verbs.choices), None)
    command: argparse.ArgumentParser = verbs.choices[verb] if verb else top
    if last.startswith("-"):
        found = _options(command, before)
    elif verb is None:
        found = ((action.dest, action.help or "") for action in verbs._choices_actions)  # noqa: SLF001
    else:
        found = _values(command, verb, before)
    return ((word, meaning) for word, meaning in found if word.startswith(last) and word != HIDDEN)


def _options(command: argparse.ArgumentParser, before: Sequence[str]) -> Iterator[tuple[str, str]]:
    for action in command._actions:  # noqa: SLF001
        shown = action.help if action.help is not argparse.SUPPRESS else None
        if shown and not set(action.option_strings) & set(before):
            yield from ((option, shown) for option in action.option_strings if option.startswith("--"))


def _values(command: argparse.ArgumentParser, verb: str, before: Sequence[str]) -> Iterator[tuple[str, str]]:
    places = [action for action in command._actions if not action.option_strings]  # noqa: SLF001
    given = sum(not word.startswith("-") for word in before) - 1
    if given >= len(places):
        return
    action = places[given]
    if action.choices:
        yield from ((str(choice), "") for choice in action.choices)
    elif verb == "say" and action.dest == "project":
        yield from ((name, "project") for name in _projects())
    elif verb == "stop":
        yield from ((name, "project") for name in _projects())
        yield from _sessions()


def _projects() -> list[str]:
    """Read only the names of the projects, so that mistakes elsewhere in the file don't matter."""
    file = trusted_config()
    if file is None:
        return []
    try:
        projects = tomllib.loads(file.read_text(encoding="utf-8")).get("projects", {})
    except (OSError, ValueError):
        return []
    return list(projects) if isinstance(projects, dict) else []


def _sessions() -> Iterator[tuple[str, str]]:
    file = trusted_config()
    if file is None:
        return
    try:
        found = SessionsAnswer.model_validate(BotClient(state_folder_of(file)).get(SESSIONS_ROUTE))
    except BotError:
        return
    yield from ((str(each.thread), " ".join(each.title.split())) for each in found.sessions)
