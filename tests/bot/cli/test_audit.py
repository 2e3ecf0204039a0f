"""Tests `claude-discord audit`: who decided what, and whether anyone changed an entry since."""

import json
import sqlite3
from pathlib import Path

from sandbox.scripts.script import Say, Use, script
from tests.fixtures.command_line import typed
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted, write_config


async def test_a_decision_can_be_read_and_a_change_of_it_shows(discord_server: DiscordServer, tmp_path: Path) -> None:
    touch = script([Use("Bash", {"command": "touch made.txt"})], [Say("It is there.")])
    setup = scripted(discord_server, tmp_path, {"touch": touch})
    write_config(tmp_path / "claude-discord.toml", setup)
    missing = await typed("audit", cwd=tmp_path)
    assert missing.status == 2
    assert missing.errors.startswith("There is no state file")
    async with setup.bot():
        thread = await setup.say("touch it")
        await setup.ada.click(await setup.card(thread, "touch made.txt"), "Allow")
        await setup.done(thread)
        read = await typed("audit", cwd=tmp_path)  # while the bot runs
    assert (read.status, read.errors) == (0, "")
    assert f"demo  allowed by {setup.ada.user.id}  Bash" in read.out
    (entry,) = [json.loads(line) for line in (await typed("audit", "--json", cwd=tmp_path)).out.splitlines()]
    assert (entry["outcome"], entry["asked"]["command"]) == ("allowed", "touch made.txt")
    well = await typed("audit", "--verify", cwd=tmp_path)
    assert (well.status, well.out[:9]) == (0, "1 entry, ")
    with sqlite3.connect(setup.state / "state.sqlite3") as file:
        for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            file.execute(f"DROP TRIGGER {name}")
        file.execute("UPDATE audit SET content = replace(content, 'allowed', 'denied')")
    file.close()
    ill = await typed("audit", "--verify", cwd=tmp_path)
    assert ill.status == 1
    assert ill.errors.startswith("Entry 1: ")
    as_json = await typed("audit", "--verify", "--json", cwd=tmp_path)
    assert (as_json.status, json.loads(as_json.out)["ok"]) == (1, False)
