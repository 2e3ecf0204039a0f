"""Tests that a card shows a file as it is on the disk."""

from pathlib import Path

from sandbox.scripts.script import Say, Use, script
from tests.fixtures.bot_setup import buttons, shown
from tests.fixtures.discord_server import DiscordServer
from tests.fixtures.scripted_setup import scripted


async def test_a_file_that_is_no_text_is_said_to_be_overwritten(discord_server: DiscordServer, tmp_path: Path) -> None:
    write = Use("Write", {"file_path": "photo.bin", "content": "gone\n"})
    setup = scripted(discord_server, tmp_path, {"write": script([write], [Say("Went on.")])})
    (setup.project / "photo.bin").write_bytes(b"\xff\xfe\x00")
    async with setup.bot():
        thread = await setup.say("write")
        card = await setup.card(thread, "Overwrite a file?")
        assert "can't be shown as text" in shown(card)


async def test_a_link_out_of_the_project_is_warned_of(discord_server: DiscordServer, tmp_path: Path) -> None:
    write = Use("Write", {"file_path": "docs/authorized_keys", "content": "ssh-rsa x\n"})
    setup = scripted(discord_server, tmp_path, {"write": script([write], [Say("Went on.")])})
    (tmp_path / ".ssh").mkdir()
    (setup.project / "docs").symlink_to(tmp_path / ".ssh")
    async with setup.bot():
        thread = await setup.say("write")
        card = await setup.card(thread, "Write a file?")
        assert f"⚠️ Outside the project: {tmp_path}/.ssh/authorized_keys".replace("_", "\\_") in shown(card)
        assert "Always…" not in buttons(card)


async def test_a_link_within_the_project_is_named_and_not_warned_of(
    discord_server: DiscordServer, tmp_path: Path
) -> None:
    write = Use("Write", {"file_path": "latest.md", "content": "new\n"})
    setup = scripted(discord_server, tmp_path, {"write": script([write], [Say("Went on.")])})
    (setup.project / "one.md").write_text("old\n")
    (setup.project / "latest.md").symlink_to("one.md")
    async with setup.bot():
        thread = await setup.say("write")
        card = await setup.card(thread, "Overwrite a file?")
        assert "-old\n+new" in shown(card)
        assert "This path is a link that leads to `one.md`" in shown(card)
        assert "⚠️" not in shown(card)
