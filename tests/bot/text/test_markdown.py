"""Tests Markdown in a turn that Discord would read differently."""

from bot.events import (
    ToolUse,
)
from tests.bot.render.turns.scripted_turn import ScriptedTurn, judged


def bash(id_: str, command: str) -> ToolUse:
    return ToolUse(id_, "Bash", {"command": command})


MARKDOWN = """\
# A heading
#### A deep heading
Text with a loose ` backtick, a || b || c, and `code || here`.
>>> print("a prompt of Python's")
-# not our small print
Use ```` ```js ```` for that, or ```this```.

1. A list with code:
   ```python title="x"
   def f():
       return "```"
   ```
2. The end.

~~~
tildes
~~~
And an unclosed one:
```sh
echo never closed"""


def test_markdown_that_discord_would_misread_is_written_for_it():
    scripted = ScriptedTurn()
    scripted.says(MARKDOWN)
    scripted.uses(bash("b", "echo `date` | tee *_log_*"))
    scripted.gets("b")
    scripted.ends()
    judged("markdown", [scripted.shown()])
