"""The log: lines for people, or JSON objects for programs that collect logs."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

Format = Literal["lines", "json"]
NOISY = ("hikari", "lightbulb")


class JsonLines(logging.Formatter):
    """Formats each record as one JSON object on one line, including a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "text": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def begin(style: Format, *, verbose: bool) -> None:
    """Write the log to stderr from now on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if style == "json" else logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.DEBUG if verbose else logging.INFO, handlers=[handler])
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.INFO if verbose else logging.WARNING)
