"""A thread's worktree as a card: what is in it, and what can be done with it."""

from bot.message_names import WORKTREE
from bot.messages import Accent, AttachedFile, Box, Button, Buttons, Divider, File, Message, Style, Text
from bot.projects.worktrees import WorktreeStatus
from bot.text.code_block import inline_code
from bot.text.escape import escape_line

PREFIX = "worktree"
DIFF_FILE = "changes.diff"
MOST_DIFF = 4 * 1024 * 1024
STAT = 1500
LISTED = 8


def custom_id(verb: str, conversation: int, mark: str) -> str:
    return f"{PREFIX}:{verb}:{conversation}:{mark}"


def parsed(custom_id: str) -> tuple[str, int, str] | None:
    """Read a button's name; None if it is none of these."""
    prefix, _, rest = custom_id.partition(":")
    verb, _, rest = rest.partition(":")
    conversation, _, mark = rest.partition(":")
    ours = prefix == PREFIX and conversation.isascii() and conversation.isdigit() and len(conversation) < 21
    return (verb, int(conversation), mark) if ours else None


def shown(state: WorktreeStatus, note: str = "", *, archived: bool = False) -> Message:
    """Show a worktree, with what can be done."""
    worktree = state.worktree
    parts: list[Text | Buttons | Divider | AttachedFile] = []
    if archived:
        parts.append(Text("**This thread was archived, and its worktree holds what is committed nowhere.**"))
    parts.append(
        Text(f"**Worktree** {inline_code(worktree.branch)} from {inline_code(worktree.base)}\n{_summary(state)}")
    )
    if state.stat:
        parts.append(Text(f"```\n{_stat(state.stat)}\n```"))
    files = _diff(state)
    parts += [AttachedFile(file.name) for file in files]
    if note:
        parts.append(Text(note))
    parts.append(Buttons(tuple(_buttons(state, archived=archived))))
    return Message(WORKTREE.of(state.mark), components=(Box(tuple(parts)),), files=files)


def really(state: WorktreeStatus) -> Message:
    """Ask before something is lost."""
    lost = [f"{len(state.changed)} uncommitted file(s)"] if state.changed else []
    lost += [f"{len(state.ignored)} ignored file(s) or folder(s)"] if state.ignored else []
    lost += [f"{len(state.commits)} commit(s) that are nowhere else"] if state.commits else []
    what = ", ".join(lost) or "nothing but the folder itself"
    conversation = state.worktree.conversation
    text = f"**Discard {inline_code(state.worktree.branch)}?** This deletes {what}.\n{_names(state)}"
    buttons = (
        Button(custom_id("yes", conversation, state.mark), "Yes, discard it", Style.DANGER),
        Button(custom_id("show", conversation, state.mark), "No"),
    )
    box = Box((Text(text), Buttons(buttons)), Accent.WARNING)
    return Message(WORKTREE.of(state.mark), components=(box,))


def told(state: WorktreeStatus, sentence: str) -> Message:
    """Say what was done; there is nothing more to press."""
    return Message(WORKTREE.of(state.mark), components=(Box((Text(sentence),), Accent.DENIED),))


def _summary(state: WorktreeStatus) -> str:
    if not state.there:
        lines = ["Its folder is not there at the moment: the next message brings it back."]
    else:
        lines = [f"{len(state.changed)} uncommitted file(s)" if state.changed else "Everything is committed"]
        if state.astray:
            lines.append(f"⚠️ It is on {inline_code(state.astray)} now, not on its own branch")
    if state.commits:
        lines.append(f"{len(state.commits)} commit(s):")
        lines += [f"- {escape_line(commit, 90)}" for commit in state.commits[:LISTED]]
        if len(state.commits) > LISTED:
            lines.append(f"- and {len(state.commits) - LISTED} more")
    return "\n".join(lines)


def _names(state: WorktreeStatus) -> str:
    names = (*state.changed, *state.ignored)
    listed = ", ".join(inline_code(name, 60) for name in names[:LISTED])
    return f"-# {listed}" + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "") if names else ""


def _stat(stat: str) -> str:
    text = stat.replace("```", "'''")
    return text if len(text) <= STAT else "…" + text[-STAT:].partition("\n")[2]


def _diff(state: WorktreeStatus) -> tuple[File, ...]:
    content = state.diff.encode()
    return (File(DIFF_FILE, content),) if content and len(content) <= MOST_DIFF else ()


def _buttons(state: WorktreeStatus, *, archived: bool) -> list[Button]:
    def button(verb: str, label: str, style: Style = Style.SECONDARY) -> Button:
        return Button(custom_id(verb, state.worktree.conversation, state.mark), label, style)

    if archived:
        keep = button("keep", "Keep it as it is", Style.PRIMARY)
        commit = [button("tuck", "Commit, keep the branch")] if state.changed else []
        return [keep, *commit, button("discard", "Discard…", Style.DANGER)]
    found = [button("commit", "Commit all", Style.PRIMARY)] if state.changed else []
    if state.commits:
        found += [button("merge", "Merge", Style.SUCCESS), button("request", "Pull request text")]
    return [*found, button("discard", "Discard…", Style.DANGER)]
