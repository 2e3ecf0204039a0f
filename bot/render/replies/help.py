"""What `/help` says; docs/commands.md says the same, and a test holds the two together."""

COMMANDS = {
    "new": "a new thread; in a thread: a new session, Claude forgets what was said",
    "stop": "interrupts Claude at once and holds what is queued; a second time ends its process. The session is kept",
    "status": "what runs here, since when, and what it waits for",
    "resume": "goes on with an earlier session, also one from a terminal",
    "fork": "a new thread with a copy of this conversation",
    "compact": "sums the conversation up, so that there is room again",
    "context": "how full Claude's context is",
    "cost": "what was spent, here and in the project",
    "model": "the model for this thread",
    "effort": "how hard Claude thinks in this thread",
    "mode": "what Claude asks about in this thread",
    "claude": "Claude's own slash commands and skills",
    "export": "the conversation as a Markdown file",
    "settings": "what counts here and where it comes from",
    "project": "folders as projects",
    "worktree": "what an isolated thread has changed",
    "sessions": "everything that runs",
    "kill": "ends a process",
    "pending": "what waits for an answer",
    "rules": "what need not be asked",
    "audit": "what was decided",
    "help": "this",
}

HELP = "\n".join(
    [
        "Write a message, and Claude works on it in a thread; pictures and files come along.",
        "Write again while it works: it is queued, and can be sent at once, edited or deleted before it runs.",
        "When Claude asks for something, press a button on the card, or write `yes`, `no` or `no because …`.",
        *(f"-# `/{name}` {about}" for name, about in COMMANDS.items()),
        "-# On a message: Apps → **Ask Claude about this**. Archiving a thread ends what runs in it.",
    ]
)
