"""The reply to `/cost`."""

from collections.abc import Mapping

from bot.text.count import count
from bot.text.escape import escape_markdown, one_line


def cost_reply(here: tuple[int, float], spans: Mapping[str, tuple[int, float]], project: str) -> str:
    """Show the cost of this conversation, and of its project for each time span."""
    lines = [f"**This conversation**: {_spent(here)}"]
    lines += [f"-# {escape_markdown(one_line(project))}, {name}: {_spent(span)}" for name, span in spans.items()]
    return "\n".join([*lines, "-# As reported by the CLI. With a subscription, this is what the API would have cost."])


def _spent(turns_and_cost: tuple[int, float]) -> str:
    turns, cost = turns_and_cost
    money = f"${cost:.2f}" if cost >= 0.01 or not cost else "under $0.01"
    return f"{money} in {count(turns, 'turn')}"
