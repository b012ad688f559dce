"""The run folder: result, hash-chained events, blobs by digest, artifacts.

Everything is written below one folder with mode 0600 (folders 0700). Events are durable when
:meth:`EventLog.append` returns. Owns files only; what is written was redacted before.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from browser_agent._digest import digest_of_bytes, is_digest
from browser_agent._json import canonical, dumps_frozen
from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.records.run import RobotResult

GENESIS = "0" * 64
"""``prev`` of the first event."""


def chain_hash(event: Mapping[str, object]) -> str:
    """Hex SHA-256 over the canonical form of an event without its ``hash``."""
    bare = {key: value for key, value in event.items() if key != "hash"}
    return hashlib.sha256(canonical(bare)).hexdigest()


class EventLog:
    """``events.jsonl``: append-only, one event a line, each linked to the one before."""

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = _open_private(path)
        self.head = GENESIS
        self.count = 0

    def append(self, kind: str, fields: Mapping[str, object]) -> None:
        """Write one event; it is on disk when this returns."""
        event: dict[str, object] = {"n": self.count + 1, "kind": kind, **fields, "prev": self.head}
        event["hash"] = chain_hash(event)
        self._file.write(canonical(event) + b"\n")
        self._file.flush()
        self.head, self.count = str(event["hash"]), self.count + 1

    def close(self) -> None:
        """Sync and close; further appends fail."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()


class BlobFolder:
    """``blobs/ab/<sha256>``: bytes named by their digest, written once, whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def put(self, content: bytes) -> str:
        """Store and return ``sha256:<hex>``."""
        digest = digest_of_bytes(content)
        target = self._place(digest)
        if not target.exists():
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_whole(target, content)
        return digest

    def get(self, digest: str) -> bytes | None:
        """The bytes as stored (not checked against the name), or None."""
        if not is_digest(digest):
            return None
        target = self._place(digest)
        return target.read_bytes() if target.is_file() else None

    def _place(self, digest: str) -> Path:
        name = digest.removeprefix("sha256:")
        return self._path / name[:2] / name


class RunFolder:
    """One run's folder. Use it as a context manager; :meth:`finish` writes ``result.json``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.artifacts = path / "artifacts"
        self.recording = path / "recording"
        self.blobs = BlobFolder(path / "blobs")
        self.log = EventLog(path / "events.jsonl")

    def finish(self, result: RobotResult) -> None:
        """Write the manifest of all files, then ``result.json`` with the chain's head and length.

        Does nothing when the run is finished already.
        """
        if self.log_closed:
            return
        export = result.export()
        self.log.append("files", {"files": manifest_of(self.path)})
        self.log.append("run_finished", {"integrity": export["integrity"]})
        self.log.close()
        chain = {"head": self.log.head, "events": self.log.count}
        _write_whole(self.path / "result.json", result_file_bytes(export, chain))

    @property
    def log_closed(self) -> bool:
        """Whether the run is finished."""
        return self.log._file.closed

    def close(self) -> None:
        """Close what is open; a folder without ``result.json`` is a run that did not finish."""
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_run_folder(path: str | Path) -> RunFolder:
    """Create a new run folder; ConfigurationError when it cannot be written or holds a run."""
    folder = Path(path).expanduser()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (folder / "events.jsonl").exists():
            raise ConfigurationError(f"the run folder {folder} already holds a run")
        for part in ("artifacts", "blobs"):
            (folder / part).mkdir(mode=0o700, exist_ok=True)
        return RunFolder(folder)
    except OSError as exc:
        raise ConfigurationError(
            f"cannot write the run folder {folder}: {exc.strerror or 'not writable'}"
        ) from None


def result_file_bytes(export: Mapping[str, object], chain: Mapping[str, object]) -> bytes:
    """The bytes of ``result.json``: the export, then ``chain``."""
    return dumps_frozen({**export, "chain": dict(chain)}) + b"\n"


def manifest_of(folder: Path) -> dict[str, object]:
    """Every file of a run but the log and the result: name below the folder → digest."""
    made: dict[str, object] = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not file.is_symlink() and name not in ("events.jsonl", "result.json"):
            made[name] = digest_of_file(file)
    return made


def digest_of_file(file: Path) -> str:
    """``sha256:`` of a file's bytes, read piece by piece."""
    with file.open("rb") as handle:
        return "sha256:" + hashlib.file_digest(handle, "sha256").hexdigest()


def new_run_dir(parent: str | Path = "runs") -> Path:
    """A fresh, empty folder below ``parent``, named so that folders sort by time."""
    base = Path(parent).expanduser()
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="run-", dir=base))
    except OSError as exc:
        raise ConfigurationError(
            f"cannot write below {base}: {exc.strerror or 'not writable'}"
        ) from None


def _open_private(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600), "ab")


def _write_whole(target: Path, content: bytes) -> None:
    """All bytes or none: a reader never sees half a file."""
    handle, name = tempfile.mkstemp(prefix=".part-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(target)
    except OSError as exc:
        Path(name).unlink(missing_ok=True)
        raise InvalidInput(f"cannot write {target.name}: {exc.strerror}") from None
