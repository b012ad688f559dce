"""The journal keeps what a dead process left: owners, resources, operations in flight."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from browser_agent.errors import ConfigurationError
from browser_agent.store.journal import FILE, open_journal
from browser_agent.store.state_dir import open_state_dir


def test_owner_with_resources_and_operations_is_listed_until_closed(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.open_owner("tok", {"pid": 7})
    journal.add_resource("tok", "folder", "/x", {"made": True})
    journal.begin_operation("tok", "op_1", "click")
    (owner,) = open_journal(tmp_path).owners()
    assert owner["token"] == "tok"
    assert owner["facts"] == {"pid": 7}
    assert owner["resources"] == [{"kind": "folder", "name": "/x", "facts": {"made": True}}]
    assert [op["id"] for op in owner["operations"]] == ["op_1"]  # pyright: ignore[reportIndexIssue,reportUnknownVariableType,reportGeneralTypeIssues] - a mapping of objects
    journal.close_owner("tok")
    assert journal.owners() == []


def test_struck_resource_is_gone_and_others_stay(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.open_owner("tok", {})
    journal.add_resource("tok", "folder", "/x", {})
    journal.add_resource("tok", "process", "12", {"started": 1.5})
    journal.strike_resource("tok", "folder", "/x")
    assert journal.owners()[0]["resources"] == [
        {"kind": "process", "name": "12", "facts": {"started": 1.5}}
    ]


def test_known_end_leaves_no_row_and_unknown_end_is_kept(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.open_owner("tok", {})
    for op in ("op_a", "op_b", "op_c"):
        journal.begin_operation("tok", op, "click")
    journal.end_operation("op_a", "ok")
    journal.end_operation("op_b", "unknown")
    assert [op["id"] for op in journal.unknown_operations()] == ["op_b"]
    journal.close_owner("tok")
    assert [op["id"] for op in journal.unknown_operations()] == ["op_b", "op_c"]


def test_what_a_killed_process_wrote_can_be_read(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from browser_agent.store.journal import open_journal\n"
        "j = open_journal(Path(sys.argv[1]))\n"
        "j.open_owner('dead', {'pid': os.getpid()})\n"
        "j.begin_operation('dead', 'op_x', 'fill')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    (owner,) = open_journal(tmp_path).owners()
    assert owner["token"] == "dead"
    assert len(owner["operations"]) == 1  # pyright: ignore[reportArgumentType] - a list


def _write_many(folder: Path, token: str) -> None:
    journal = open_journal(folder)
    journal.open_owner(token, {})
    for number in range(50):
        journal.begin_operation(token, f"op_{token}_{number}", "click")
        journal.end_operation(f"op_{token}_{number}", "unknown")


def test_processes_share_one_journal(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(tmp_path, f"t{n}")) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert len(open_journal(tmp_path).unknown_operations()) == 150


def test_damaged_file_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all, only text" * 100)
    with pytest.raises(ConfigurationError, match="move the file away"):
        open_journal(tmp_path)


def test_future_rows_of_another_token_survive_a_close(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.open_owner("a", {})
    journal.open_owner("b", {})
    journal.close_owner("a")
    assert [owner["token"] for owner in journal.owners()] == ["b"]


def test_state_dir_follows_the_variable_and_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = tmp_path / "deep" / "state"
    monkeypatch.setenv("BROWSER_AGENT_STATE_DIR", str(wanted))
    assert open_state_dir() == wanted
    assert wanted.stat().st_mode & 0o777 == 0o700
    assert wanted.stat().st_uid == os.getuid()


def test_state_dir_that_is_a_file_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    monkeypatch.setenv("BROWSER_AGENT_STATE_DIR", str(blocked / "state"))
    with pytest.raises(ConfigurationError, match="BROWSER_AGENT_STATE_DIR"):
        open_state_dir()


def test_state_dir_falls_back_where_home_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    monkeypatch.delenv("BROWSER_AGENT_STATE_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert open_state_dir() == tmp_path / f"browser_agent-{os.getuid()}"


def test_operation_ids_are_not_begun_twice(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.begin_operation("t", "op_1", "click")
    with pytest.raises(sqlite3.IntegrityError):
        journal.begin_operation("t", "op_1", "click")
    journal.end_operation("op_1", "ok")
    journal.begin_operation("t", "op_1", "click")
