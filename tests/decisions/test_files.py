"""What a card says of a file is what is on the disk."""

from pathlib import Path

from sandbox.script import Say, Use, script
from tests.fixtures.house import buttons, shown
from tests.fixtures.scripted_house import scripted
from tests.fixtures.workshop import Workshop


async def test_a_file_that_is_no_text_is_said_to_be_overwritten(workshop: Workshop, tmp_path: Path) -> None:
    write = Use("Write", {"file_path": "photo.bin", "content": "gone\n"})
    house = scripted(workshop, tmp_path, {"write": script([write], [Say("Went on.")])})
    (house.project / "photo.bin").write_bytes(b"\xff\xfe\x00")
    async with house.bot():
        thread = await house.say("write")
        card = await house.card(thread, "Overwrite a file?")
        assert "not a text that can be shown" in shown(card)


async def test_a_link_out_of_the_project_is_warned_of(workshop: Workshop, tmp_path: Path) -> None:
    write = Use("Write", {"file_path": "docs/authorized_keys", "content": "ssh-rsa x\n"})
    house = scripted(workshop, tmp_path, {"write": script([write], [Say("Went on.")])})
    (tmp_path / ".ssh").mkdir()
    (house.project / "docs").symlink_to(tmp_path / ".ssh")
    async with house.bot():
        thread = await house.say("write")
        card = await house.card(thread, "Write a file?")
        assert f"⚠️ Outside the project: {tmp_path}/.ssh/authorized_keys".replace("_", "\\_") in shown(card)
        assert "Always…" not in buttons(card)


async def test_a_link_within_the_project_is_named_and_not_warned_of(workshop: Workshop, tmp_path: Path) -> None:
    write = Use("Write", {"file_path": "latest.md", "content": "new\n"})
    house = scripted(workshop, tmp_path, {"write": script([write], [Say("Went on.")])})
    (house.project / "one.md").write_text("old\n")
    (house.project / "latest.md").symlink_to("one.md")
    async with house.bot():
        thread = await house.say("write")
        card = await house.card(thread, "Overwrite a file?")
        assert "-old\n+new" in shown(card)
        assert "A link: it leads to `one.md`" in shown(card)
        assert "⚠️" not in shown(card)
