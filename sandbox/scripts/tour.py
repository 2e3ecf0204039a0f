"""The tour: scripts that show newcomers what the bot can do; a word in the prompt chooses one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.scripts.script import (
    NOTIFIED,
    OVERLOADED,
    Block,
    ClaudeScript,
    Complain,
    Exit,
    Say,
    Step,
    StepContext,
    Think,
    Use,
    UseResult,
    script,
)

FOLDER = "tour"
"""The folder in the project for everything that the tour writes."""


@dataclass(frozen=True, slots=True)
class TourStop:
    """One thing to show, and the words that choose it."""

    words: tuple[str, ...]
    shows: str
    play: ClaudeScript


def choose(prompt: str) -> ClaudeScript:
    """Choose the script for a prompt by its first known word."""
    if NOTIFIED in prompt:
        return BACKGROUND_REPORT
    if prompt.startswith(CHORE):
        return COUNT_FILES
    for word in re.findall(r"[a-z]+", prompt.lower()):
        for stop in STOPS:
            if word in stop.words:
                return stop.play
    return WELCOME


def menu() -> str:
    return "\n".join(f"- **{stop.words[0]}**: {stop.shows}" for stop in STOPS)


# The welcome: text that streams, and one card.

WRITE_TIME = Use(
    "Bash",
    {
        "command": f"mkdir -p {FOLDER} && date > {FOLDER}/hello.txt && cat {FOLDER}/hello.txt",
        "description": "Write the time to a file",
    },
)


def greet(seen: StepContext) -> list[Block]:
    if seen.earlier:
        return [
            Say("I'm a script, and I don't know that word. Here is a card to try; say `help` to see what I know."),
            WRITE_TIME,
        ]
    return [
        Say(
            "Hello! I'm **not Claude**: I'm a small script that stands in for it, so that you can try everything "
            "without an account. The rest of what you see is the real bot.\n\n"
            "Claude asks before it changes anything on your machine, and so do I: "
            "I'd like to write the time to a file. **Allow** it or **deny** it, as you like."
        ),
        WRITE_TIME,
    ]


def thank(seen: StepContext) -> list[Block]:
    return [Say(f"{_reaction(seen.outcomes)}\n\nThere's more to see. Say one of these words:\n{menu()}")]


def _reaction(outcomes: Sequence[UseResult]) -> str:
    outcome = outcomes[0]
    if outcome.is_error:
        return f"You said no, so nothing ran. This is what I was told: “{outcome.text}”"
    return f"Thank you. It really ran on your machine:\n```\n{outcome.text}\n```"


WELCOME = script(greet, thank)


def explain(_seen: StepContext) -> list[Block]:
    return [Say(f"I'm a script that plays Claude. These are the words I know:\n{menu()}")]


# Questions.

QUESTIONS = {
    "questions": [
        {
            "question": "What colour should the shed be?",
            "header": "Colour",
            "multiSelect": False,
            "options": [
                {"label": "Red", "description": "Like a barn in the north"},
                {"label": "Green", "description": "Nobody will find it"},
                {"label": "Blue", "description": "Like the sky, on most days"},
            ],
        },
        {
            "question": "What should be inside?",
            "header": "Inside",
            "multiSelect": True,
            "options": [
                {"label": "Bicycles", "description": "Two, with a pump"},
                {"label": "Tools", "description": "A saw, a hammer, a level"},
                {"label": "A cat", "description": "It comes and goes"},
            ],
        },
    ]
}


def repeat_answers(seen: StepContext) -> list[Block]:
    outcome = seen.outcomes[0]
    if outcome.is_error:
        return [Say(f"No answers, then. I was told: “{outcome.text}”")]
    pairs = re.findall(r'"([^"]+)"="([^"]*)"', outcome.text)
    return [Say("I'll remember:\n" + "\n".join(f"- {question} **{answer}**" for question, answer in pairs))]


# A plan, and an edit that shows as a diff.

PLAN = f"""# A friendlier greeting

1. Write `{FOLDER}/greeting.py`, which greets the whole world.
2. Run it.

Nothing else is touched.
"""
GREETING = f"{FOLDER}/greeting.py"
FIRST = 'def greet(name: str) -> str:\n    return "Hello, " + name\n\n\nprint(greet("world"))\n'
WRITE = Use("Write", {"file_path": GREETING, "content": FIRST})
EDIT = Use(
    "Edit",
    {
        "file_path": GREETING,
        "old_string": '    return "Hello, " + name\n',
        "new_string": '    """Greet somebody by name, warmly."""\n    return f"Hello, {name}! 👋"\n',
    },
)
RUN = Use("Bash", {"command": f"python3 {GREETING}", "description": "Run the greeting"})


def after_plan(seen: StepContext) -> list[Block]:
    if seen.outcomes[0].is_error:
        return [Say(f"I'll think again. You said: “{seen.outcomes[0].text}”")]
    return [Say("The plan is approved. I'll start."), WRITE]


def carry_on(tool: Use, words: str) -> Step:
    """Use the next tool only if the last one was allowed."""

    def step(seen: StepContext) -> list[Block]:
        if seen.outcomes and seen.outcomes[0].is_error:
            return [Say(f"Then I'll stop here. I was told: “{seen.outcomes[0].text}”")]
        return [Say(words), tool]

    return step


def say_output(seen: StepContext) -> list[Block]:
    if not seen.outcomes:
        return []
    return [Say(_reaction(seen.outcomes))]


# The rest.

STORY = (
    "A stream of words, as they come. Once there was a program that was left alone with a machine, and it was "
    "a careful program, so before each step it asked. The answer came from far away, from a phone, from a train, "
    "from a bench in a park; sometimes at once, sometimes after lunch. And the program waited, and did what it was "
    "allowed to do, and not a thing more.\n\n"
    "> The best tool is the one you would leave alone with your things.\n\n"
    "```python\ndef trust(program):\n    return program.asks and program.waits\n```\n"
)
LONG = "\n\n".join(
    f"**{number}.** This answer is longer than one message can hold, so it continues in the next one. "
    "The bot splits where a reader would: between paragraphs, and never inside a code block."
    for number in range(1, 19)
)
CHORE = "Tour: count the files"


def _todos(*states: str) -> Use:
    work = [("Look around", "Looking around"), ("Do the work", "Doing the work"), ("Clean up", "Cleaning up")]
    todos = [
        {"content": content, "activeForm": active, "status": state}
        for (content, active), state in zip(work, states, strict=True)
    ]
    return Use("TodoWrite", {"todos": todos})


def recall(seen: StepContext) -> list[Block]:
    if not seen.earlier:
        return [Say("This is the first thing you said to me.")]
    return [Say("Before this you said:\n" + "\n".join(f"> {prompt}" for prompt in seen.earlier[-10:]))]


def look(seen: StepContext) -> list[Block]:
    if seen.images == 0:
        return [Say("No picture came with that. Attach one and say `picture` again.")]
    return [Say(f"I received {seen.images} picture{'s' * (seen.images > 1)}. A script can't see, but Claude can.")]


BACKGROUND_REPORT = script([Say("The background task is done: it has counted the files.")])
COUNT_FILES = script(
    [Say("Counting."), Use("Bash", {"command": "ls", "description": "List the files"})], [Say("Counted.")]
)

FAILING = Use(
    "Bash",
    {"command": "echo 'Testing…'; echo 'AssertionError: 1 != 2' >&2; exit 3", "description": "Run tests that fail"},
)
EVERYTHING = script(
    [
        Think("Someone new. I'll show one thing after another."),
        Say(STORY),
        _todos("in_progress", "pending", "pending"),
    ],
    [Use("Bash", {"command": "ls", "description": "List the files"})],
    [Say("Listing files needs no permission. Now two questions."), Use("AskUserQuestion", QUESTIONS)],
    lambda seen: [*repeat_answers(seen), _todos("completed", "in_progress", "pending")],
    [Say("Here is a plan. You can approve it, or tell me what to change."), Use("ExitPlanMode", {"plan": PLAN})],
    after_plan,
    carry_on(EDIT, "Now a small change. You see the diff before it happens."),
    carry_on(FAILING, "Now something that fails."),
    lambda _seen: [
        Say(
            "It failed, and you can see that too. Last, a lot of output, which stays out of the way, and a long answer."
        ),
        _todos("completed", "completed", "in_progress"),
    ],
    [Use("Bash", {"command": "seq 1 20000", "description": "Count to twenty thousand"})],
    [_todos("completed", "completed", "completed")],
    [Say(f"{LONG}\n\nThat was everything. Say `help` to choose something to see again.")],
)

STOPS: tuple[TourStop, ...] = (
    TourStop(("help", "hilfe", "commands"), "this list", script(explain)),
    TourStop(("tour", "everything"), "everything, one thing after another", EVERYTHING),
    TourStop(("stream", "story"), "an answer that streams", script([Say(STORY)])),
    TourStop(
        ("card", "allow", "deny", "permission"),
        "a card to allow or deny",
        script([Say("May I?"), WRITE_TIME], say_output),
    ),
    TourStop(
        ("questions", "question", "ask"),
        "two questions with menus",
        script([Say("Two questions, before I begin."), Use("AskUserQuestion", QUESTIONS)], repeat_answers),
    ),
    TourStop(
        ("plan",),
        "a plan to approve",
        script(
            [Say("Here is what I would do."), Use("ExitPlanMode", {"plan": PLAN})],
            after_plan,
            carry_on(RUN, "Written. Now I'll run it."),
            say_output,
        ),
    ),
    TourStop(
        ("diff", "edit", "write"),
        "a file that is written, changed and run",
        script(
            [Say("First the file."), WRITE],
            carry_on(EDIT, "Then a change. You see the diff before it happens."),
            carry_on(RUN, "And now it runs."),
            say_output,
        ),
    ),
    TourStop(
        ("todo", "todos", "list"),
        "a to-do list that gets done",
        script(
            [_todos("in_progress", "pending", "pending")],
            [Say("Looked around."), _todos("completed", "in_progress", "pending")],
            [Say("Worked."), _todos("completed", "completed", "in_progress")],
            [_todos("completed", "completed", "completed")],
            [Say("All three are done.")],
        ),
    ),
    TourStop(
        ("long", "output"),
        "output that is too long for one message",
        script([Use("Bash", {"command": "seq 1 20000", "description": "Count to twenty thousand"})], [Say(LONG)]),
    ),
    TourStop(("think",), "thinking before answering", script([Think(STORY), Say("I have thought about it.")])),
    TourStop(
        ("fail", "failure", "error"),
        "a command that fails",
        script(
            [Say("This won't end well."), FAILING], lambda seen: [Say(f"It failed:\n```\n{seen.outcomes[0].text}\n```")]
        ),
    ),
    TourStop(("overload", "overloaded"), "an error, when Claude can't be reached", script([OVERLOADED])),
    TourStop(
        ("background", "subagent", "agent"),
        "a subagent that keeps working after the answer, then reports",
        script(
            [Use("Agent", {"description": "Count the files", "prompt": CHORE, "run_in_background": True})],
            [Say("A subagent is counting the files. It will report here.")],
        ),
    ),
    TourStop(("picture", "image", "photo"), "a picture that you attach", script(look)),
    TourStop(("remember", "before"), "what you said before", script(recall)),
    TourStop(
        ("slow", "stop"),
        "a slow answer that you can stop",
        script([Say("I'm counting slowly. Stop me: " + " ".join(str(number) for number in range(1, 200)), pace=0.5)]),
    ),
    TourStop(
        ("crash", "die"),
        "a crash of Claude's process",
        script([Say("Goodbye."), Complain("The scripted agent was asked to crash."), Exit(1)]),
    ),
)
