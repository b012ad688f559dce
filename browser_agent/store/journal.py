"""The journal: owners of browsers, what they hold, and operations in flight; SQLite, for all
processes of a user.

Owns durability over the death of a process. It starts, ends and looks at no process itself:
the reaper does. Every method may be called from any thread and blocks on the disk.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from browser_agent.errors import ConfigurationError
from browser_agent.store.state_dir import open_state_dir

FILE = "journal.sqlite3"
_BUSY_S = 10.0
_KEEP_UNKNOWN_S = 30 * 86_400.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS owners (
    token TEXT PRIMARY KEY, facts TEXT NOT NULL, opened_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS resources (
    token TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, facts TEXT NOT NULL,
    PRIMARY KEY (token, kind, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS operations (
    id TEXT PRIMARY KEY, token TEXT NOT NULL, name TEXT NOT NULL, began_at REAL NOT NULL,
    status TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS operations_of ON operations (token);
"""


class SqliteJournal:
    """A journal in one file. Operations that ended with a known outcome leave no row."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self.is_closed = False
        try:
            self._db = sqlite3.connect(
                path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
            self._db.execute(
                "DELETE FROM operations WHERE status IS NOT NULL AND began_at < ?",
                (time.time() - _KEEP_UNKNOWN_S,),
            )
        except sqlite3.Error as error:
            raise ConfigurationError(
                f"the journal {path} cannot be used ({type(error).__name__}): move the file away"
            ) from None

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def open_owner(self, token: str, facts: Mapping[str, object]) -> None:
        """Record an owner (facts: its pid, start time …) before it starts anything."""
        with self._writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO owners VALUES (?, ?, ?)",
                (token, json.dumps(dict(facts)), time.time()),
            )

    def add_resource(self, token: str, kind: str, name: str, facts: Mapping[str, object]) -> None:
        """Record something that the owner must remove; recording it again updates the facts."""
        with self._writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO resources VALUES (?, ?, ?, ?)",
                (token, kind, name, json.dumps(dict(facts))),
            )

    def strike_resource(self, token: str, kind: str, name: str) -> None:
        """Forget a resource that is verified gone."""
        with self._writing() as db:
            db.execute(
                "DELETE FROM resources WHERE token = ? AND kind = ? AND name = ?",
                (token, kind, name),
            )

    def close_owner(self, token: str) -> None:
        """Forget an owner of which nothing is left; its unknown operations stay on record."""
        with self._writing() as db:
            db.execute("DELETE FROM owners WHERE token = ?", (token,))
            db.execute("DELETE FROM resources WHERE token = ?", (token,))
            db.execute(
                "UPDATE operations SET status = 'unknown' WHERE token = ? AND status IS NULL",
                (token,),
            )

    def begin_operation(self, token: str, operation_id: str, name: str) -> None:
        """Record an operation as in flight."""
        with self._writing() as db:
            db.execute(
                "INSERT INTO operations VALUES (?, ?, ?, ?, NULL)",
                (operation_id, token, name, time.time()),
            )

    def end_operation(self, operation_id: str, status: str) -> None:
        """Record how an operation ended; only an unknown outcome is kept."""
        with self._writing() as db:
            if status == "unknown":
                db.execute("UPDATE operations SET status = ? WHERE id = ?", (status, operation_id))
            else:
                db.execute("DELETE FROM operations WHERE id = ?", (operation_id,))

    def owners(self) -> Sequence[Mapping[str, object]]:
        """Owners not closed: ``token``, ``facts``, ``resources`` [{kind, name, facts}] and
        ``operations`` in flight [{id, name, began_at}].
        """
        with self._lock:
            rows = self._db.execute("SELECT token, facts, opened_at FROM owners").fetchall()
            return [
                {
                    "token": token,
                    "facts": json.loads(facts),
                    "opened_at": opened_at,
                    "resources": self._resources(token),
                    "operations": self._in_flight(token),
                }
                for token, facts, opened_at in rows
            ]

    def _resources(self, token: str) -> list[dict[str, object]]:
        rows = self._db.execute(
            "SELECT kind, name, facts FROM resources WHERE token = ?", (token,)
        ).fetchall()
        return [{"kind": k, "name": name, "facts": json.loads(facts)} for k, name, facts in rows]

    def _in_flight(self, token: str) -> list[dict[str, object]]:
        rows = self._db.execute(
            "SELECT id, name, began_at FROM operations WHERE token = ? AND status IS NULL",
            (token,),
        ).fetchall()
        return [{"id": op, "name": name, "began_at": at} for op, name, at in rows]

    def unknown_operations(self) -> Sequence[Mapping[str, object]]:
        """Operations whose outcome is not known, oldest first: ``id``, ``name``, ``began_at``."""
        with self._lock:
            rows = self._db.execute(
                "SELECT id, name, began_at FROM operations WHERE status = 'unknown' ORDER BY id"
            ).fetchall()
        return [{"id": op, "name": name, "began_at": at} for op, name, at in rows]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self.is_closed = True
            self._db.close()


_open: WeakValueDictionary[tuple[str, int, int], SqliteJournal] = WeakValueDictionary()
_opening = threading.Lock()


def open_journal(folder: Path | None = None) -> SqliteJournal:
    """The journal of this user, or of a folder.

    Whoever asks while one is open gets that one: launches in a row hold one file, not one each.
    """
    path = (folder or open_state_dir()) / FILE
    with _opening:
        shared = _open.get(_key_of(path))
        if shared is None or shared.is_closed:
            shared = SqliteJournal(path)
            _open[_key_of(path)] = shared
    return shared


def _key_of(path: Path) -> tuple[str, int, int]:
    """Tells a file from another that took its place, and this process from its parent."""
    try:
        return str(path), path.stat().st_ino, os.getpid()
    except OSError:
        return str(path), 0, os.getpid()
