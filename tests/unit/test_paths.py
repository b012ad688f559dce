"""Names and folders of files that come from or go to pages."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from browser_agent.browser.outcome import OperationFailed
from browser_agent.browser.paths import allowed_uploads, private_folder, safe_name, write_private
from browser_agent.records.codes import ErrorCode


@pytest.mark.parametrize(
    ("suggested", "wanted"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/etc/cron.d/job", "job"),
        ("..", "file"),
        (".", "file"),
        ("", "file"),
        (".bashrc", "bashrc"),
        ("a\x00b\n.txt", "ab.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("con.txt", "_con.txt"),
        ('a:b*c?"d".txt', "a_b_c__d_.txt"),
        ("Crème brûlée.txt", "Crème brûlée.txt"),
        ("name. ", "name"),
    ],
)
def test_safe_name(suggested: str, wanted: str) -> None:
    assert safe_name(suggested) == wanted


def test_a_long_name_keeps_its_suffix() -> None:
    name = safe_name("ä" * 400 + ".tar")
    assert name.endswith(".tar")
    assert len(name.encode()) <= 120


def test_files_are_private_and_never_overwritten(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "artifacts")
    first = write_private(folder, "a.txt", [b"one", b"two"])
    second = write_private(folder, "a.txt", [b"other"])
    assert (first.name, second.name) == ("a.txt", "a (2).txt")
    assert first.to_data() == {
        "name": "a.txt",
        "media_type": "text/plain",
        "bytes": 6,
        "sha256": "25b6746d5172ed6352966a013d93ac846e1110d5a25e8f183b5931f4688842a1",
    }
    assert (folder / "a.txt").read_bytes() == b"onetwo"
    assert stat.S_IMODE((folder / "a.txt").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder, outside = private_folder(tmp_path / "artifacts"), tmp_path / "outside.txt"
    (folder / "a.txt").symlink_to(outside)
    assert write_private(folder, "a.txt", [b"x"]).name == "a (2).txt"
    assert not outside.exists()


def test_uploads_only_from_allowed_folders(tmp_path: Path) -> None:
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    for folder in (allowed, other):
        folder.mkdir()
        (folder / "file.txt").write_text("x")
    (allowed / "link.txt").symlink_to(other / "file.txt")
    os.mkfifo(allowed / "pipe")
    inside = [str(allowed / "file.txt"), "file.txt"]
    assert allowed_uploads(inside, [allowed]) == [allowed / "file.txt"] * 2
    denied = [
        str(other / "file.txt"),
        "../other/file.txt",
        str(allowed / ".." / "other" / "file.txt"),
        "link.txt",
        "missing.txt",
        "pipe",
        ".",
        "a\x00b",
        "/etc/passwd",
    ]
    for path in denied:
        with pytest.raises(OperationFailed) as caught:
            allowed_uploads([path], [allowed])
        assert caught.value.outcome.code is ErrorCode.UPLOAD_DENIED
        assert str(tmp_path) not in str(caught.value.outcome.message)


def test_without_folders_nothing_is_sent(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(OperationFailed):
        allowed_uploads([str(tmp_path / "file.txt")], [])
