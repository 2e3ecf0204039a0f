"""What a newcomer is shown, by an agent that needs no account: a word in the prompt chooses what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.script import (
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
"""Everything that the tour writes is in this folder of the project."""


@dataclass(frozen=True, slots=True)
class TourStop:
    """One thing to see."""

    words: tuple[str, ...]
    shows: str
    play: ClaudeScript


def choose(prompt: str) -> ClaudeScript:
    """Find what the prompt asks for; of several words, the first one counts."""
    if NOTIFIED in prompt:
        return REPORT
    if prompt.startswith(CHORE):
        return COUNTING
    for word in re.findall(r"[a-z]+", prompt.lower()):
        for stop in STOPS:
            if word in stop.words:
                return stop.play
    return WELCOME


def menu() -> str:
    return "\n".join(f"- **{stop.words[0]}**: {stop.shows}" for stop in STOPS)


# The welcome: text that streams, and one card to press.

KNOCK = Use(
    "Bash",
    {
        "command": f"mkdir -p {FOLDER} && date > {FOLDER}/hello.txt && cat {FOLDER}/hello.txt",
        "description": "Write the time into a file",
    },
)


def greet(seen: StepContext) -> list[Block]:
    if seen.earlier:
        return [
            Say("I am a script, and that is none of my words. Here is a card to press; say `help` for more."),
            KNOCK,
        ]
    return [
        Say(
            "Hello! I'm **not Claude**: I'm a small script that plays its part, so that you can try everything "
            "without an account. What you see is the real bot at work.\n\n"
            "Claude asks before it does something to your machine. So do I: "
            "I'd like to write the time into a file. **Allow** it or **deny** it, as you like."
        ),
        KNOCK,
    ]


def thank(seen: StepContext) -> list[Block]:
    return [Say(f"{_reaction(seen.outcomes)}\n\nThere is more to see. Say one of these words:\n{menu()}")]


def _reaction(outcomes: Sequence[UseResult]) -> str:
    outcome = outcomes[0]
    if outcome.is_error:
        return f"You said no, and so nothing ran. What I was told is: “{outcome.text}”"
    return f"Thank you. It really ran, on your machine:\n```\n{outcome.text}\n```"


WELCOME = script(greet, thank)


def explain(_seen: StepContext) -> list[Block]:
    return [Say(f"I'm a script that plays Claude. These are the words I know:\n{menu()}")]


# Questions.

QUESTIONS = {
    "questions": [
        {
            "question": "Which colour should the shed have?",
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
    """Go on to the next tool only when the last one was allowed."""

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
    f"**{number}.** This answer is longer than one message can hold, and so it goes on in the next one. "
    "The bot cuts where a reader would: between paragraphs, and never inside a block of code."
    for number in range(1, 19)
)
CHORE = "Tour: count the files"


def _todos(*states: str) -> Use:
    work = [("Look around", "Looking around"), ("Do the work", "Doing the work"), ("Sweep up", "Sweeping up")]
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
        return [Say("No picture came with that. Attach one, and say `picture` again.")]
    return [Say(f"{seen.images} picture{'s' * (seen.images > 1)} reached me. A script sees nothing, but Claude would.")]


REPORT = script([Say("The background work is done: it has counted the files.")])
COUNTING = script(
    [Say("Counting."), Use("Bash", {"command": "ls", "description": "List the files"})], [Say("Counted.")]
)

FAILING = Use(
    "Bash",
    {"command": "echo 'Testing…'; echo 'AssertionError: 1 != 2' >&2; exit 3", "description": "Run tests that fail"},
)
EVERYTHING = script(
    [
        Think("A newcomer. I'll show one thing after the other."),
        Say(STORY),
        _todos("in_progress", "pending", "pending"),
    ],
    [Use("Bash", {"command": "ls", "description": "List the files"})],
    [Say("Looking around needs no permission. Now two questions."), Use("AskUserQuestion", QUESTIONS)],
    lambda seen: [*repeat_answers(seen), _todos("completed", "in_progress", "pending")],
    [Say("Here is a plan. You can approve it, or tell me what to change."), Use("ExitPlanMode", {"plan": PLAN})],
    after_plan,
    carry_on(EDIT, "And a small change, which you can see before it happens."),
    carry_on(FAILING, "Now something that fails."),
    lambda _seen: [
        Say("It failed, and that is shown too. Last, much output, which stays out of the way, and a long answer."),
        _todos("completed", "completed", "in_progress"),
    ],
    [Use("Bash", {"command": "seq 1 20000", "description": "Count to twenty thousand"})],
    [_todos("completed", "completed", "completed")],
    [Say(f"{LONG}\n\nThat was everything. Say `help` to see one thing again.")],
)

STOPS: tuple[TourStop, ...] = (
    TourStop(("help", "hilfe", "commands"), "this list", script(explain)),
    TourStop(("tour", "everything"), "all of it, one after the other", EVERYTHING),
    TourStop(("stream", "story"), "an answer that streams", script([Say(STORY)])),
    TourStop(
        ("card", "allow", "deny", "permission"), "a card to allow or deny", script([Say("May I?"), KNOCK], say_output)
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
            carry_on(EDIT, "Then a change, which you see before it happens."),
            carry_on(RUN, "And now it runs."),
            say_output,
        ),
    ),
    TourStop(
        ("todo", "todos", "list"),
        "a list that is worked off",
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
        "output that is too long for a message",
        script([Use("Bash", {"command": "seq 1 20000", "description": "Count to twenty thousand"})], [Say(LONG)]),
    ),
    TourStop(("think",), "thinking before speaking", script([Think(STORY), Say("I have thought about it.")])),
    TourStop(
        ("fail", "failure", "error"),
        "a command that fails",
        script(
            [Say("This won't end well."), FAILING], lambda seen: [Say(f"It failed:\n```\n{seen.outcomes[0].text}\n```")]
        ),
    ),
    TourStop(("overload", "overloaded"), "what it looks like when Claude can't be reached", script([OVERLOADED])),
    TourStop(
        ("background", "subagent", "agent"),
        "a helper that works after the answer, and reports",
        script(
            [Use("Agent", {"description": "Count the files", "prompt": CHORE, "run_in_background": True})],
            [Say("A helper counts the files. You'll hear from it.")],
        ),
    ),
    TourStop(("picture", "image", "photo"), "that a picture arrives", script(look)),
    TourStop(("remember", "before"), "that I know what you said before", script(recall)),
    TourStop(
        ("slow", "stop"),
        "a slow answer, to be stopped",
        script([Say("I'm counting slowly. Stop me: " + " ".join(str(number) for number in range(1, 200)), pace=0.5)]),
    ),
    TourStop(
        ("crash", "die"),
        "what happens when Claude's process dies",
        script([Say("Goodbye."), Complain("The scripted agent was asked to crash."), Exit(1)]),
    ),
)
