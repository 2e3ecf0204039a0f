"""Sentences for people who may not do something."""

MAY_NOT_TALK = (
    "You don't have permission to talk to Claude in this project. Its owner can add you in the configuration."
)
MAY_NOT_DECIDE = "You don't have permission to decide in this project. Its owner can add you in the configuration."
OWNERS_ONLY = (
    "Only owners can do this: those in `[owners]` of the configuration, or in `[people]` if it names no owners."
)
NO_PROJECT = "This channel belongs to no project. Use me in a project's channel or in one of its threads."
SECOND_PERSON = "This has a warning and comes from your prompt, so someone else must allow it. You can deny it."
EDITS_NEED_SECOND_PERSON = (
    "This comes from your prompt, so someone else must allow edits without asking. "
    "You can still approve the plan without that."
)
