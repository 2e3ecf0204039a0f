"""The AskUserQuestion tool: parses Claude's questions, and writes the answers into the tool's input."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_QUESTIONS = 4  # the tool's own limit; a request with more is shown as JSON
MAX_OPTIONS = 25  # the limit of a Discord menu; the tool's own is 4


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    description: str = ""
    preview: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    header: str = ""
    choices: tuple[Choice, ...] = ()
    several: bool = False
    """Whether more than one choice may be selected."""


Answers = Mapping[int, tuple[str, ...]]
"""Question number -> the full labels of the chosen options, and any free-text answer."""


def read(arguments: Mapping[str, Any]) -> tuple[Question, ...]:
    """Parse the tool's input; return nothing if it has no questions that a person could answer."""
    raw = arguments.get("questions")
    if not isinstance(raw, list) or not 1 <= len(raw) <= MAX_QUESTIONS:
        return ()
    found = tuple(question for item in raw if (question := _question(item)) is not None)
    return found if len(found) == len(raw) else ()


def answered_input(arguments: Mapping[str, Any], questions: tuple[Question, ...], answers: Answers) -> dict[str, Any]:
    """Return the input with the answers, keyed by the text of each question."""
    written: dict[str, str] = {}
    for number, question in enumerate(questions):
        answer = ", ".join(answers[number])
        # If a question appears twice, its answers share one key.
        written[question.text] = f"{written[question.text]}, {answer}" if question.text in written else answer
    return {**arguments, "answers": written}


def all_answered(questions: tuple[Question, ...], answers: Answers) -> bool:
    return all(answers.get(number) for number in range(len(questions)))


def first_unanswered(questions: tuple[Question, ...], answers: Answers) -> int:
    return next((number for number in range(len(questions)) if not answers.get(number)), len(questions) - 1)


def is_single_choice(questions: tuple[Question, ...]) -> bool:
    """Check whether a single choice is the complete answer, so that no Send button is needed."""
    return len(questions) == 1 and not questions[0].several


def choose(question: Question, before: tuple[str, ...], values: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the answer for the values of a menu, the numbers of choices; None if they don't fit the question."""
    if len(set(values)) != len(values) or not (question.several or len(values) == 1):
        return None
    by_value = {str(number): choice.label for number, choice in enumerate(question.choices)}
    if not all(value in by_value for value in values):
        return None
    chosen = tuple(by_value[value] for value in values)
    return (*chosen, *_free_answers(question, before)) if question.several else chosen


def add_free_answer(question: Question, before: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Add a free-text answer to the choices, or replace them if only one is allowed."""
    labels = {choice.label for choice in question.choices}
    chosen = tuple(label for label in before if label in labels) if question.several else ()
    return (*chosen, text.strip()) if text.strip() else chosen


def parse_typed_answer(question: Question, text: str) -> tuple[str, ...]:
    """Parse a typed answer: a label, the numbers of choices, or free text."""
    text = text.strip()
    for choice in question.choices:
        if choice.label.casefold() == text.casefold():
            return (choice.label,)
    numbers = [part.strip() for part in text.split(",")] if question.several else [text]
    labels = {str(number): choice.label for number, choice in enumerate(question.choices, start=1)}
    if numbers and all(number in labels for number in numbers):
        return tuple(dict.fromkeys(labels[number] for number in numbers))
    return (text,) if text else ()


def _free_answers(question: Question, answer: tuple[str, ...]) -> tuple[str, ...]:
    labels = {choice.label for choice in question.choices}
    return tuple(text for text in answer if text not in labels)


def _question(item: object) -> Question | None:
    if not isinstance(item, dict):
        return None
    text, raw = item.get("question"), item.get("options", [])
    if not isinstance(text, str) or not text.strip() or not isinstance(raw, list) or len(raw) > MAX_OPTIONS:
        return None
    choices = tuple(choice for entry in raw if (choice := _choice(entry)) is not None)
    if len(choices) != len(raw):
        return None
    return Question(text, _text(item.get("header")), choices, several=item.get("multiSelect") is True)


def _choice(entry: object) -> Choice | None:
    if isinstance(entry, str):
        entry = {"label": entry}
    if not isinstance(entry, dict) or not isinstance(label := entry.get("label"), str) or not label.strip():
        return None
    return Choice(label, _text(entry.get("description")), _text(entry.get("preview")))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
