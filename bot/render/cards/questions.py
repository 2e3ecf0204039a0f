"""The card of Claude's questions. Each has a list of options, a menu, and a button for a free-text answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.masking import mask
from bot.messages import OPTION_LIMIT, Accent, AttachedFile, Button, Buttons, File, Message, Option, Select, Style, Text
from bot.permission_requests import questions
from bot.permission_requests.card_button_ids import custom_id
from bot.permission_requests.questions import Choice, Question
from bot.permission_requests.ticket import Decided, Open, Ticket
from bot.render.cards import frame
from bot.text.code_block import code_block
from bot.text.escape import escape_line, escape_markdown, one_line
from bot.text.truncate import truncate, utf16_length
from shared.protocol import Allow

NO_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class _Detail:
    """Maximum length of each text. `_DETAILS` is tried in order until the card fits."""

    question: int = NO_LIMIT
    label: int = NO_LIMIT
    description: int = NO_LIMIT
    preview: int = NO_LIMIT


_DETAILS = (
    _Detail(),
    _Detail(preview=400),
    _Detail(preview=0),
    _Detail(question=700, label=200, description=150, preview=0),
    _Detail(question=400, label=80, description=60, preview=0),
    _Detail(question=250, label=0, description=0, preview=0),
)


def draw(ticket: Ticket, asked: tuple[Question, ...]) -> Message:
    head = frame.head(ticket, "Claude asks" if len(asked) == 1 else f"Claude has {len(asked)} questions")
    head = Text(head.markdown.replace("?\n", "\n", 1))
    if not isinstance(ticket.state, Open):
        return _closed_card(ticket, asked, head)
    hint = frame.subtext([_hint(asked)])
    answers = [_answer_line(asked, ticket, number) for number in range(len(asked))]
    hides = _has_secret(asked)
    room = frame.room_left(head.markdown, hint, frame.HIDES if hides else "", *answers) - 100
    texts, cut = _question_texts(asked, room)
    files = _questions_file(asked) if cut else ()
    parts: list[frame.Part] = [head]
    for number, question in enumerate(asked):
        parts.append(Text("\n".join(filter(None, (texts[number], answers[number])))))
        if question.choices:
            parts.append(_menu(ticket, number, question))
        if len(asked) > 1:
            parts.append(Buttons((Button(custom_id(ticket.id, "other", number), "Other…"),)))
    parts += [AttachedFile(file.name) for file in files]
    parts += [Text(frame.HIDES)] if hides else []
    parts += [Text(hint), Buttons(tuple(_buttons(ticket, asked)))]
    if hides:
        parts.append(frame.show_original(ticket))
    return frame.message(ticket, parts, frame.accent(ticket, Accent.NEUTRAL), files)


def _has_secret(asked: tuple[Question, ...]) -> bool:
    """Check whether a secret is masked in the questions, so that two choices may look alike."""
    texts = [text for one in asked for text in (one.text, one.header)]
    texts += [text for one in asked for each in one.choices for text in (each.label, each.description, each.preview)]
    return any(mask(text) != text for text in texts)


def _buttons(ticket: Ticket, asked: tuple[Question, ...]) -> Iterator[Button]:
    if not questions.is_single_choice(asked):
        ready = questions.all_answered(asked, ticket.draft.answers)
        yield frame.button(ticket, "send", "Send", Style.SUCCESS, disabled=not ready)
    if len(asked) == 1:
        yield Button(custom_id(ticket.id, "other", 0), "Other…")
    yield frame.button(ticket, "skip", "Skip")


def _hint(asked: tuple[Question, ...]) -> str:
    if questions.is_single_choice(asked):
        return "Choose, or just type your answer. Skip lets Claude decide."
    return "Press Send when you're done. Skip lets Claude decide."


def _menu(ticket: Ticket, number: int, question: Question) -> Select:
    taken = ticket.draft.answers.get(number, ())
    options = tuple(
        Option(
            str(place),
            truncate(f"{place + 1}. {one_line(choice.label)}", OPTION_LIMIT),
            truncate(one_line(choice.description), OPTION_LIMIT),
            chosen=choice.label in taken,
        )
        for place, choice in enumerate(question.choices)
    )
    most = len(options) if question.several else 1
    placeholder = truncate(one_line(question.header), 100) or "Choose…"
    return Select(custom_id(ticket.id, "choose", number), options, placeholder, least=1, most=most)


def _answer_line(asked: tuple[Question, ...], ticket: Ticket, number: int) -> str:
    """Show the answer so far; empty if choosing one answers the question immediately."""
    taken = ticket.draft.answers.get(number, ())
    if not taken or questions.is_single_choice(asked):
        return ""
    return f"➜ {escape_line(', '.join(taken), 200)}"


def _question_texts(asked: tuple[Question, ...], room: int) -> tuple[list[str], bool]:
    texts: list[str] = []
    for detail in _DETAILS:
        written = [_question_text(number, question, detail, len(asked)) for number, question in enumerate(asked)]
        texts = [text for text, _ in written]
        if sum(map(utf16_length, texts)) <= room:
            return texts, any(cut for _, cut in written)
    return [truncate(text, room // len(asked)) for text in texts], True


def _question_text(number: int, question: Question, detail: _Detail, of: int) -> tuple[str, bool]:
    start = f"**{number + 1}.** " if of > 1 else ""
    lines = [start + escape_markdown(truncate(question.text.strip(), detail.question))]
    cut = utf16_length(question.text) > detail.question
    for place, choice in enumerate(question.choices, start=1):
        if detail.label:
            lines += _choice_lines(place, choice, detail)
        cut |= _is_cut(choice, detail)
    if not detail.label and question.choices:
        lines.append("-# The options are in the menu. Their full text is in questions.md.")
    elif cut:
        lines.append("-# The full text is in questions.md.")
    return "\n".join(lines), cut


def _choice_lines(place: int, choice: Choice, detail: _Detail) -> Iterator[str]:
    label = f"`{place}` **{escape_line(choice.label, detail.label)}**"
    described = escape_line(choice.description, detail.description) if detail.description else ""
    yield f"{label}: {described}" if described else label
    if choice.preview and detail.preview:
        yield code_block(choice.preview, "", min(detail.preview, 3000), "questions.md").markdown


def _is_cut(choice: Choice, detail: _Detail) -> bool:
    texts = (choice.label, detail.label), (choice.description, detail.description)
    if any(utf16_length(text) > limit for text, limit in texts):
        return True
    return (
        bool(choice.preview) and not code_block(choice.preview, "", min(detail.preview, 3000), "questions.md").complete
    )


def _questions_file(asked: tuple[Question, ...]) -> tuple[File, ...]:
    """Return a file with the full text of the questions."""
    lines: list[str] = []
    for number, question in enumerate(asked, start=1):
        lines += [f"# {number}. {question.text}", ""]
        for place, choice in enumerate(question.choices, start=1):
            lines += [f"## {place}. {choice.label}", "", choice.description, ""]
            lines += ["", choice.preview, ""] if choice.preview else []
    file, _ = frame.attach("questions.md", mask("\n".join(lines)))
    return (file,) if file else ()


def _closed_card(ticket: Ticket, asked: tuple[Question, ...], head: Text) -> Message:
    state = ticket.state
    if not isinstance(state, Decided) or not isinstance(state.decision, Allow):
        outcome, _ = frame.outcome(ticket)
        lines = [escape_line(question.text, 300) for question in asked]
    else:
        outcome = f"✅ **Answered** {frame.decided_by(state)}"
        answers: Any = state.decision.updated_input.get("answers")
        given = answers if isinstance(answers, dict) else {}
        lines = [_answered_line(question, given.get(question.text)) for question in asked]
    parts = (head, Text("\n".join(lines)), Text(outcome))
    return frame.message(ticket, parts, frame.accent(ticket), ())


def _answered_line(question: Question, answer: object) -> str:
    return f"{escape_line(question.text, 300)}\n➜ **{escape_line(str(answer), 300)}**"
