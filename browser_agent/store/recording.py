"""The recording of one run on disk: page half, model half, and what a replay needs besides.

``recording/meta.json``, ``network.jsonl``, ``model.jsonl`` and ``tools.jsonl`` are written as
things happen, so that a crash loses the last line at most; bodies stand below ``bodies/`` by
digest. At the end the page half is packed as a HAR in a zip for other tools. Owns files alone;
what comes in was redacted.
"""

from __future__ import annotations

import base64
import json
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from browser_agent._json import dumps, loads
from browser_agent.errors import InvalidInput, RecordingError
from browser_agent.store.run_folder import BlobFolder

VERSION = 1


class RecordingWriter:
    """Appends entries; every line is on disk when the call returns."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = folder
        self.bodies = BlobFolder(folder / "bodies")
        self._network = _append(folder / "network.jsonl")
        self._model = _append(folder / "model.jsonl")
        self._tools = _append(folder / "tools.jsonl")

    def write_meta(self, meta: Mapping[str, object]) -> None:
        """What a replay needs besides both halves (settings, clock, seed, versions)."""
        text = dumps({"version": VERSION, **meta}, indent=True)
        _write_private(self.folder / "meta.json", text.encode() + b"\n")

    def add_network(self, entry: Mapping[str, object]) -> None:
        """One response, in the order in which requests were sent."""
        _line(self._network, entry)

    def add_model(self, entry: Mapping[str, object]) -> None:
        """One model call: key, folded request, reply."""
        _line(self._model, entry)

    def add_tool(self, entry: Mapping[str, object]) -> None:
        """What a tool of the operator or an approver answered."""
        _line(self._tools, entry)

    def rewrite_replies(self, clean: Callable[[object], object]) -> None:
        """Clean the replies of the model once more; nothing is written where that changes none."""
        if self._model.closed:
            return
        path = self.folder / "model.jsonl"
        old = _lines(path)
        new = [{**entry, "reply": clean(entry.get("reply"))} for entry in old]
        if new != list(old):
            self._model.close()
            _write_private(path, b"".join(dumps(entry).encode() + b"\n" for entry in new))
            self._model = _append(path)

    def close(self) -> None:
        """Close both halves and pack the HAR. Safe to call again."""
        if self._network.closed:
            return
        self._network.close()
        self._model.close()
        self._tools.close()
        pack_har(self.folder)


class Recording:
    """A recording that was read. RecordingError for what is missing or damaged."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "meta.json").is_file():
            raise RecordingError(f"{folder.name} holds no recording")
        self.folder = folder
        self.bodies = BlobFolder(folder / "bodies")
        self.meta = self._meta()
        self.network = _lines(folder / "network.jsonl")
        self.model = _lines(folder / "model.jsonl")
        self.tools = _lines(folder / "tools.jsonl")

    def body(self, digest: str) -> bytes:
        """A stored body; RecordingError when it is gone."""
        content = self.bodies.get(digest)
        if content is None:
            raise RecordingError(f"the recording lacks the body {digest[:19]}")
        return content

    def _meta(self) -> Mapping[str, object]:
        try:
            meta = loads((self.folder / "meta.json").read_bytes())
        except InvalidInput as exc:
            raise RecordingError(f"meta.json: {exc.message}") from None
        if not isinstance(meta, Mapping):
            raise RecordingError("meta.json is no mapping")
        fields = cast("Mapping[str, object]", meta)
        if fields.get("version") != VERSION:
            raise RecordingError("the recording was made by another version")
        return fields


def open_recording(folder: str | Path) -> RecordingWriter:
    """Begin a recording below a run folder."""
    return RecordingWriter(Path(folder) / "recording")


def load_recording(folder: str | Path) -> Recording:
    """Read the recording of a run folder, or the recording's own folder."""
    path = Path(folder)
    return Recording(path / "recording" if (path / "recording").is_dir() else path)


def pack_har(folder: Path) -> None:
    """``network.har.zip``: the page half in the form that other tools read."""
    bodies = BlobFolder(folder / "bodies")
    entries = [_har_entry(entry, bodies) for entry in _lines(folder / "network.jsonl")]
    log = {
        "version": "1.2",
        "creator": {"name": "browser_agent", "version": str(VERSION)},
        "entries": entries,
    }
    target = folder / "network.har.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        fixed = zipfile.ZipInfo("har.har", date_time=(1980, 1, 1, 0, 0, 0))
        fixed.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(fixed, json.dumps({"log": log}))
    target.chmod(0o600)


def _har_entry(entry: Mapping[str, object], bodies: BlobFolder) -> dict[str, object]:
    digest = entry.get("body")
    content = bodies.get(str(digest)) if digest else None
    headers = cast("Mapping[str, str]", entry.get("headers") or {})
    return {
        "startedDateTime": entry.get("at"),
        "time": 0,
        "request": {
            "method": entry.get("method"),
            "url": entry.get("url"),
            "httpVersion": "HTTP/1.1",
            "headers": [],
            "queryString": [],
            "cookies": [],
            "headersSize": -1,
            "bodySize": -1,
        },
        "response": {
            "status": entry.get("status") or 0,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "cookies": [],
            "content": {
                "size": len(content or b""),
                "mimeType": headers.get("content-type", ""),
                "encoding": "base64",
                "text": base64.b64encode(content or b"").decode(),
            },
            "redirectURL": entry.get("location") or "",
            "headersSize": -1,
            "bodySize": -1,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 0, "receive": 0},
    }


def _append(path: Path) -> IO[bytes]:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def _line(file: IO[bytes], entry: Mapping[str, object]) -> None:
    file.write(dumps(entry).encode() + b"\n")
    file.flush()


def _lines(path: Path) -> Sequence[Mapping[str, object]]:
    if not path.is_file():
        return ()
    found: list[Mapping[str, object]] = []
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            found.append(cast("Mapping[str, object]", loads(line)))
        except InvalidInput:
            if number == len(lines) and not line.endswith(b"\n"):
                break  # a crash tears the last line
            raise RecordingError(f"{path.name}: line {number} is damaged") from None
    return found


def _write_private(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
