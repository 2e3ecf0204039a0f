"""Discord's own OpenAPI document, as a judge of what a bot sends."""

from sandbox.discord import Recorded


def judge(recorded: Recorded) -> list[str]:
    return []
