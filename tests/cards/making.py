"""Tickets for tests."""

from typing import Any

from bot.requests.tickets import Draft, Open, Origin, Seen, State, Ticket
from shared.protocol import Request

FOLDER = "/home/ann/shop"


def ticket(
    tool: str,
    arguments: dict[str, Any],
    *,
    before: str | None = None,
    file: Seen | None = None,
    state: State = Open(),  # noqa: B008 - frozen
    draft: Draft = Draft(),  # noqa: B008 - frozen
    subagent: str | None = None,
) -> Ticket:
    return Ticket(
        id="Tk3-abc_DEF9",
        conversation=7,
        request=Request(tool_name=tool, input=arguments, tool_use_id="toolu_1"),
        origin=Origin("shop", FOLDER, prompted_by=42, subagent=subagent),
        opened_at=1_700_000_000.0,
        state=state,
        draft=draft,
        file=file or Seen(before, exists=before is not None),
    )


def bash(command: str, **more: Any) -> Ticket:
    return ticket("Bash", {"command": command, **more})


def question(text: str = "Which database?", *labels: str, several: bool = False) -> dict[str, Any]:
    options = [{"label": label, "description": f"about {label}"} for label in labels or ("Postgres", "SQLite")]
    return {"question": text, "header": "Database", "multiSelect": several, "options": options}


def asking(*questions: dict[str, Any], draft: Draft = Draft()) -> Ticket:  # noqa: B008 - frozen
    return ticket("AskUserQuestion", {"questions": list(questions)}, draft=draft)


def planning(plan: str, **more: Any) -> Ticket:
    return ticket("ExitPlanMode", {"plan": plan, **more})
