"""Static files of the fixture site: which file a path names, and its bytes with a media type.

Owns the rule that nothing outside the served folder, and nothing below `_site/`, is given out.
"""

from __future__ import annotations

from pathlib import Path

from browser_agent.testing.wire import Response

PRIVATE_FOLDER = "_site"
ORIGIN_MARK = b"http://fixture.invalid"

MEDIA_TYPES = {
    ".css": "text/css",
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".htm": "text/html",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".woff2": "font/woff2",
    ".xml": "application/xml",
    ".zip": "application/zip",
}


def find_file(folder: Path, path: str) -> Path | None:
    """The file (or the folder, when the slash is missing) that `path` names; None: not served.

    `folder` is a resolved path. Traversal, links that lead out, NUL and `_site/` give None.
    """
    parts = [part for part in path.split("/") if part]
    if "\0" in path or "\\" in path or ".." in parts or PRIVATE_FOLDER in parts[:1]:
        return None
    target = folder.joinpath(*parts).resolve()
    if not target.is_relative_to(folder):
        return None
    if target.is_dir():
        return _find_index(target, slash=path.endswith("/"))
    return target if target.is_file() and not path.endswith("/") else None


def load_file(file: Path, origin: str) -> Response:
    """The file's bytes with its media type; robots.txt and XML files get the real origin."""
    content = file.read_bytes()
    if file.name == "robots.txt" or file.suffix == ".xml":
        content = content.replace(ORIGIN_MARK, origin.encode())
    media_type = MEDIA_TYPES.get(file.suffix.lower(), "application/octet-stream")
    if media_type.startswith("text/") and _is_utf8(content):
        media_type += "; charset=utf-8"
    return Response(200, {"content-type": media_type}, content)


def _find_index(target: Path, *, slash: bool) -> Path | None:
    index = target / "index.html"
    if not index.is_file():
        return None
    return index if slash else target


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
