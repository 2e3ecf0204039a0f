"""The reply to `/rules`, with the menu that removes a rule."""

from collections.abc import Sequence

from bot.masking import mask
from bot.messages import OPTION_LIMIT, Message, Option, Select
from bot.permission_requests.rules import SavedRule
from bot.render.replies.reply_lines import fit_lines
from bot.text.code_block import inline_code
from bot.text.count import count
from bot.text.escape import one_line
from bot.text.truncate import truncate

REMOVE = "rule:remove"
"""The custom_id of the menu that removes a rule."""
NO_RULES = "No rules yet, so Claude asks every time. Press *Always…* on a card to make one."
_MOST_OPTIONS = 25


def rules_reply(
    kept: Sequence[SavedRule], conversation: int, *, may_remove: bool, configured: Sequence[str] = ()
) -> Message:
    """List the rules that apply here, who made them and when, with a menu to remove one."""
    here = [one for one in kept if one.conversation in (None, conversation)]
    elsewhere = len(kept) - len(here)
    lines = [f"- {inline_code(mask(str(one.rule)), 120)} {_scope(one)} · {_origin(one)}" for one in here]
    lines += [f"- {inline_code(mask(rule), 120)} in the configuration" for rule in configured]
    if elsewhere:
        lines.append(f"-# {count(elsewhere, 'more rule')} in other conversations of the project")
    chosen = [one for one in here if one.made_by is not None]
    options = tuple(
        Option(str(one.id), truncate(one_line(str(one.rule)), OPTION_LIMIT), _scope(one))
        for one in chosen[:_MOST_OPTIONS]
    )
    menu = (Select(REMOVE, options, "Remove a rule (Claude will ask again)…"),) if options and may_remove else ()
    heading = ["**Claude doesn't ask about these:**"] if here or configured else [NO_RULES]
    return Message("rules", fit_lines([*heading, *lines]), menu)


def _scope(kept: SavedRule) -> str:
    return "in this project" if kept.conversation is None else "in this conversation"


def _origin(kept: SavedRule) -> str:
    if kept.made_by is None:
        return "while the mode is `acceptEdits`"
    return f"by <@{kept.made_by}> <t:{int(kept.made_at)}:R>"
