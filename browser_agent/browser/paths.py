"""Names and folders of files that come from or go to pages: safe names, private files, uploads.

Owns every decision on a path in the browser layer. Nothing is written outside the folder given,
nothing is sent from outside the folders allowed.
"""

from __future__ import annotations

import hashlib
import mimetypes
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from browser_agent.browser.outcome import fail
from browser_agent.records.codes import ErrorCode

NAME_BYTES = 120
_CHUNK = 1 << 20
_UNSAFE = re.compile(r'[<>:"/\\|?*]')
_RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file below the artifact folder: its name there, size in bytes and SHA-256 (hex)."""

    name: str
    media_type: str
    size: int
    sha256: str

    def to_data(self) -> dict[str, object]:
        """The keys of the contract."""
        return {
            "name": self.name,
            "media_type": self.media_type,
            "bytes": self.size,
            "sha256": self.sha256,
        }


def safe_name(suggested: str, fallback: str = "file") -> str:
    """A plain file name: last path part, no control or bidi characters, bounded, never hidden."""
    last = re.split(r"[/\\]", suggested)[-1]
    shown = "".join(char for char in last if unicodedata.category(char)[0] != "C")
    cleaned = _UNSAFE.sub("_", unicodedata.normalize("NFC", shown)).strip(" .")
    if _RESERVED.match(cleaned):
        cleaned = f"_{cleaned}"
    stem, dot, suffix = cleaned.rpartition(".")
    if not dot:
        stem, suffix = cleaned, ""
    suffix = suffix[:16]
    room = NAME_BYTES - len(suffix.encode()) - 1
    stem = stem.encode()[:room].decode("utf-8", "ignore").strip(" .")
    return f"{stem or fallback}.{suffix}" if suffix else stem or fallback


def media_type_of(name: str) -> str:
    """The media type that a file name suggests."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def private_folder(chosen: Path | None) -> Path:
    """The folder for artifacts, made if it is missing; a fresh private one when none was chosen."""
    if chosen is None:
        return Path(tempfile.mkdtemp(prefix="browser-agent-files-"))
    chosen.mkdir(mode=0o700, parents=True, exist_ok=True)
    return chosen


def write_private(folder: Path, name: str, chunks: Iterable[bytes]) -> Artifact:
    """Write a new file (mode 0600) below ``folder``; a name that is taken gets a number."""
    size, digest = 0, hashlib.sha256()
    handle, path = _create(folder, name)
    with os.fdopen(handle, "wb") as file:
        for chunk in chunks:
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
    return Artifact(
        name=path.name,
        media_type=media_type_of(path.name),
        size=size,
        sha256=digest.hexdigest(),
    )


def chunks_of(path: Path) -> Iterable[bytes]:
    """The bytes of a file, piece by piece."""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def allowed_uploads(paths: Sequence[str], folders: Sequence[Path]) -> list[Path]:
    """The real files behind ``paths``; ends the operation as ``upload_denied`` for any other.

    A relative path is looked up in the allowed folders. Links are followed first, then judged.
    """
    roots = [folder.resolve() for folder in folders]
    if not roots:
        fail(ErrorCode.UPLOAD_DENIED, "No folder is allowed for uploads.")
    return [_allowed(path, roots) for path in paths]


def _allowed(path: str, roots: Sequence[Path]) -> Path:
    shown = safe_name(path)
    if "\x00" in path:
        fail(ErrorCode.UPLOAD_DENIED, f"'{shown}' is no path.")
    inside = [real for root in roots if (real := (root / path).resolve()).is_relative_to(root)]
    found = next((real for real in inside if real.is_file()), None)
    if found is None:
        where = "a file of the folders" if inside else "below a folder"
        fail(ErrorCode.UPLOAD_DENIED, f"'{shown}' is not {where} allowed for uploads.")
    return found


def _create(folder: Path, name: str) -> tuple[int, Path]:
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        stem, suffix = name, ""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    for number in range(1, 10_000):
        numbered = name if number == 1 else f"{stem} ({number}){dot}{suffix}"
        path = folder / numbered
        try:
            return os.open(path, flags, 0o600), path
        except FileExistsError:
            continue
    raise FileExistsError(name)
