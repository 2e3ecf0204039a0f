"""The card on which an owner approves a changed configuration file."""

from collections.abc import Sequence

from bot.config import ConfigDifference, People
from bot.messages import Accent, AttachedFile, Box, Button, Buttons, File, Message, Style, Text
from bot.projects.config_diff_text import format_masked, format_value, is_for_discord, verb
from bot.text.code_block import inline_code
from bot.text.truncate import utf16_length

PREFIX = "configuration"
MAX_SHOWN = 3000
"""Characters of changes on the card, out of 4000 in total; longer changes are attached as a file."""
ATTACHED = "changes.txt"
AT_THE_TERMINAL = (
    "-# One value can't be shown in Discord. Review the changes in a terminal with `claude-discord reload`."
)


def custom_id(verb: str, name: str) -> str:
    return f"{PREFIX}:{verb}:{name}"


def parse_custom_id(custom_id: str) -> tuple[str, str] | None:
    """Parse a custom_id; return None if it does not belong to this card."""
    prefix, _, rest = custom_id.partition(":")
    verb, _, name = rest.partition(":")
    return (verb, name) if prefix == PREFIX else None


def pending_card(key: str, name: str, differences: Sequence[ConfigDifference], owners: People) -> Message:
    """Draw the card with the changes and the buttons for the owners."""
    lines = [_line(difference) for difference in sorted(differences, key=lambda each: not each.loosens)]
    text = "\n".join(lines)
    files: tuple[File, ...] = ()
    attached: tuple[AttachedFile, ...] = ()
    if utf16_length(text) > MAX_SHOWN:
        files = (File(ATTACHED, "\n".join(format_masked(each) for each in differences).encode()),)
        text, attached = (
            f"{len(lines)} settings would change. The full list is in {ATTACHED}.",
            (AttachedFile(ATTACHED),),
        )
    hidden = not is_for_discord(differences)
    heading = "**The configuration file has changed. The changes take effect once an owner approves them.**"
    buttons = Buttons(
        (
            Button(custom_id("take", name), "Approve", Style.DANGER, disabled=hidden),
            Button(custom_id("keep", name), "Keep current settings"),
        )
    )
    note = [Text(AT_THE_TERMINAL)] if hidden else []
    box = Box((Text(heading), Text(text), *attached, *note, buttons), Accent.WARNING)
    return Message(
        key, components=(box,), files=files, mentions=tuple(owners.users), mentioned_roles=tuple(owners.roles)
    )


def decided_card(key: str, sentence: str) -> Message:
    """Draw the card after the decision."""
    return Message(key, components=(Box((Text(f"**Configuration change:** {sentence}"),)),))


def _line(difference: ConfigDifference) -> str:
    mark = "⚠️ " if difference.loosens else "-# also: "
    if difference.secret:
        return f"{mark}{inline_code(difference.name)} {verb(difference)}"
    before, after = (inline_code(format_value(each), MAX_SHOWN) for each in (difference.before, difference.after))
    return f"{mark}{inline_code(difference.name)}: {before} → {after}"
