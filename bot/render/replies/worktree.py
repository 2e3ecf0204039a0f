"""The card of a thread's worktree: its changes, and buttons to commit, merge or discard them."""

from bot.message_names import WORKTREE
from bot.messages import Accent, AttachedFile, Box, Button, Buttons, Divider, File, Message, Style, Text
from bot.projects.worktrees import WorktreeStatus
from bot.text.code_block import inline_code
from bot.text.count import count
from bot.text.escape import escape_line

PREFIX = "worktree"
DIFF_FILE = "changes.diff"
MAX_DIFF = 4 * 1024 * 1024
MAX_STAT = 1500
MAX_LISTED = 8


def custom_id(verb: str, conversation: int, mark: str) -> str:
    return f"{PREFIX}:{verb}:{conversation}:{mark}"


def parse_custom_id(custom_id: str) -> tuple[str, int, str] | None:
    """Parse a custom_id; return None if it does not belong to a worktree."""
    prefix, _, rest = custom_id.partition(":")
    verb, _, rest = rest.partition(":")
    conversation, _, mark = rest.partition(":")
    ours = prefix == PREFIX and conversation.isascii() and conversation.isdigit() and len(conversation) < 21
    return (verb, int(conversation), mark) if ours else None


def worktree_card(state: WorktreeStatus, note: str = "", *, archived: bool = False) -> Message:
    """Draw a worktree with its buttons."""
    worktree = state.worktree
    parts: list[Text | Buttons | Divider | AttachedFile] = []
    if archived:
        parts.append(Text("**This thread was archived, but its worktree has changes that exist nowhere else.**"))
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


def discard_confirmation(state: WorktreeStatus) -> Message:
    """Draw the card that asks for confirmation before changes are deleted."""
    lost = [count(len(state.changed), "uncommitted file")] if state.changed else []
    lost += [count(len(state.ignored), "ignored file or folder", "ignored files or folders")] if state.ignored else []
    only_here = "commit that exists nowhere else", "commits that exist nowhere else"
    lost += [count(len(state.commits), *only_here)] if state.commits else []
    what = ", ".join(lost) or "only its folder and the branch; no change is lost"
    conversation = state.worktree.conversation
    text = f"**Discard {inline_code(state.worktree.branch)}?** This deletes {what}.\n{_names(state)}"
    buttons = (
        Button(custom_id("yes", conversation, state.mark), "Discard", Style.DANGER),
        Button(custom_id("show", conversation, state.mark), "Cancel"),
    )
    box = Box((Text(text), Buttons(buttons)), Accent.WARNING)
    return Message(WORKTREE.of(state.mark), components=(box,))


def finished_card(state: WorktreeStatus, sentence: str) -> Message:
    """Draw the card after the last action, without buttons."""
    return Message(WORKTREE.of(state.mark), components=(Box((Text(sentence),), Accent.DENIED),))


def _summary(state: WorktreeStatus) -> str:
    if not state.there:
        lines = ["Its folder is missing. The next message restores it."]
    else:
        lines = [count(len(state.changed), "uncommitted file") if state.changed else "No uncommitted changes"]
        if state.astray:
            lines.append(f"⚠️ It is on {inline_code(state.astray)} now, not on its own branch")
    if state.commits:
        lines.append(count(len(state.commits), "commit") + ":")
        lines += [f"- {escape_line(commit, 90)}" for commit in state.commits[:MAX_LISTED]]
        if len(state.commits) > MAX_LISTED:
            lines.append(f"- and {len(state.commits) - MAX_LISTED} more")
    return "\n".join(lines)


def _names(state: WorktreeStatus) -> str:
    names = (*state.changed, *state.ignored)
    listed = ", ".join(inline_code(name, 60) for name in names[:MAX_LISTED])
    return f"-# {listed}" + (f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else "") if names else ""


def _stat(stat: str) -> str:
    text = stat.replace("```", "'''")
    return text if len(text) <= MAX_STAT else "…" + text[-MAX_STAT:].partition("\n")[2]


def _diff(state: WorktreeStatus) -> tuple[File, ...]:
    content = state.diff.encode()
    return (File(DIFF_FILE, content),) if content and len(content) <= MAX_DIFF else ()


def _buttons(state: WorktreeStatus, *, archived: bool) -> list[Button]:
    def button(verb: str, label: str, style: Style = Style.SECONDARY) -> Button:
        return Button(custom_id(verb, state.worktree.conversation, state.mark), label, style)

    if archived:
        keep = button("keep", "Keep it", Style.PRIMARY)
        commit = [button("tuck", "Commit, keep the branch")] if state.changed else []
        return [keep, *commit, button("discard", "Discard…", Style.DANGER)]
    found = [button("commit", "Commit all", Style.PRIMARY)] if state.changed else []
    if state.commits:
        found += [button("merge", "Merge", Style.SUCCESS), button("request", "Pull request text")]
    return [*found, button("discard", "Discard…", Style.DANGER)]
