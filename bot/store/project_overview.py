"""Queries over all projects, for the panel."""

from bot.store.database import Database


class Overview(Database):
    """Queries over all conversations."""

    def threads_of_projects(self) -> dict[str, int]:
        rows = self._all("SELECT project, count(*) AS threads FROM conversation GROUP BY project")
        return {row["project"]: row["threads"] for row in rows}

    def spent_by_projects(self, since: float) -> dict[str, float]:
        """Return the cost of each project since a moment, in US dollars."""
        rows = self._all(
            "SELECT conversation.project, total(turn.cost) AS cost FROM turn"
            " JOIN conversation ON conversation.id = turn.conversation"
            " WHERE turn.started_at >= ? GROUP BY conversation.project",
            since,
        )
        return {row["project"]: row["cost"] for row in rows}

    def latest_threads(self, project: str, most: int) -> list[int]:
        """Return the most recently active threads of a project, newest first."""
        rows = self._all(
            "SELECT conversation.id FROM conversation LEFT JOIN turn ON turn.conversation = conversation.id"
            " WHERE conversation.project = ? GROUP BY conversation.id"
            " ORDER BY max(conversation.created_at, ifnull(max(turn.started_at), 0)) DESC LIMIT ?",
            project,
            most,
        )
        return [row["id"] for row in rows]

    def started_with_the_bot(self) -> list[int]:
        """Return the threads in which Claude starts when the bot does."""
        rows = self._all(
            "SELECT id FROM conversation WHERE CASE WHEN json_valid(own) THEN json_extract(own, '$.startup') END = 1"
        )
        return [row["id"] for row in rows]
