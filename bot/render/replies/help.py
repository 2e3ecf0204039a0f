"""The reply to `/help`; docs/commands.md covers the same commands, and a test compares the two."""

COMMANDS = {
    "new": "start a new thread; in a thread: a new session, Claude forgets what was said",
    "stop": "interrupt Claude and hold queued messages; use it again to end the process. The session is kept",
    "status": "show what Claude is doing here, since when, and what it is waiting for",
    "resume": "resume an earlier session, including one from a terminal",
    "fork": "continue in a new thread with a copy of this conversation",
    "compact": "summarize the conversation to free up context",
    "context": "show how full Claude's context is",
    "cost": "show what this conversation and the project have cost",
    "model": "choose the model for this thread",
    "effort": "choose how hard Claude thinks in this thread",
    "mode": "choose what Claude asks about in this thread",
    "claude": "run one of Claude's own slash commands or skills",
    "export": "export the conversation as a Markdown file",
    "settings": "show or change settings",
    "project": "add, list or remove projects",
    "worktree": "show what an isolated thread has changed; commit, merge or discard it",
    "sessions": "show everything that is running",
    "kill": "end Claude's process",
    "pending": "list requests that are waiting for an answer",
    "rules": "list what Claude may do without asking",
    "audit": "show past decisions",
    "help": "show this list",
}

HELP = "\n".join(
    [
        "Write a message, and Claude works on it in a thread. You can attach pictures and files.",
        "Write again while it works: the message is queued. Until it runs, you can edit it, delete it or send it now.",
        "When Claude asks for something, press a button on the card, or write `yes`, `no` or `no because …`.",
        *(f"-# `/{name}` {about}" for name, about in COMMANDS.items()),
        "-# On a message: Apps → **Ask Claude about this**. Archiving a thread ends what is running in it.",
    ]
)
