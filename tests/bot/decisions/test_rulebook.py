"""Tests which rules apply in a conversation."""

from dataclasses import replace
from pathlib import Path

from bot.config import Project
from bot.decisions.rulebook import active_rules, rules_of_mode
from bot.permission_requests.rules import Rule, SavedRule
from bot.render.replies.rules import rules_reply

KEPT = SavedRule(1, Rule("Bash", "npm test:*"), "shop", None, 42, 1_700_000_000.0)


def test_a_conversations_rule_counts_only_there() -> None:
    own = replace(KEPT, conversation=7)
    assert active_rules([own, KEPT], 7) == [own, KEPT]
    assert active_rules([own, KEPT], 8) == [KEPT]


def test_a_mode_that_accepts_edits_is_listed_and_is_not_to_be_removed() -> None:
    project = Project(folder=Path("/"), channels=frozenset({1}), name="shop", permission_mode="acceptEdits")
    message = rules_reply(rules_of_mode(project, 7), 7, may_remove=True)
    assert "- `Edit` in this conversation · while the mode is `acceptEdits`" in message.text
    assert message.components == ()
    assert rules_of_mode(project.model_copy(update={"permission_mode": "plan"}), 7) == []
