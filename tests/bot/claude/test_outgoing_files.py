"""Names that want out: a file lands in its folder, whatever it is called; nothing from outside the project is sent."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.claude.outgoing_files import sendable
from bot.conversations.attachments import place
from bot.messages import File

FOLDER = Path("/state/attachments/3/5")


@given(st.text(max_size=400))
@example("../../x")
@example("..")
@example(".")
@example("")
@example("/etc/passwd")
@example("a\0b")
@example("n" * 300)
@example("漢" * 300 + ".png")
@example("C:\\Windows\\x.exe")
@example("-rf")
@example("a\nb")
@example(".ssh")
def test_an_attachment_lands_in_its_folder_whatever_it_is_called(name: str) -> None:
    path = place(FOLDER, name, b"content", 1)
    assert Path(os.path.normpath(path)) == path
    assert path.parent.parent == FOLDER
    assert "\0" not in path.name
    assert "\n" not in path.name
    assert len(os.fsencode(path.name)) <= 255
    assert not path.name.startswith((".", "-"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "inside.txt").write_text("inside", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside", encoding="utf-8")
    (tmp_path / "project-of-another").mkdir()
    (tmp_path / "project-of-another" / "file.txt").write_text("another", encoding="utf-8")
    (project / "link.txt").symlink_to(tmp_path / "outside.txt")
    (project / "folder-link").symlink_to(tmp_path)
    (project / "loop").symlink_to(project / "loop")
    os.mkfifo(project / "pipe")
    return project


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "./x/../../outside.txt",
        "link.txt",
        "folder-link/outside.txt",
        "../project-of-another/file.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "~/.ssh/id_rsa",
        "loop",
        "pipe",
        ".",
        "",
        "inside.txt\0.png",
        "x" * 5000,
    ],
)
def test_a_file_that_is_not_in_the_project_is_not_sent(project: Path, path: str) -> None:
    for written in (path, str(project / path) if "\0" not in path else path):
        assert isinstance(sendable(written, project, {}), str)


def test_a_file_that_is_in_the_project_is_sent(project: Path) -> None:
    found = sendable("inside.txt", project, {})
    assert isinstance(found, File)
    assert found.content == b"inside"
