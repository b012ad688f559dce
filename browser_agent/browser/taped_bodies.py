"""What a recording keeps of bodies, files and frames: without secrets, by digest, bounded.

Owns redaction at its own length and the way of texts that are not UTF-8: the browser hands such a
body out as UTF-8, so a replay has to say that.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from browser_agent.logic.redact_steady import Redacts, Steady

if TYPE_CHECKING:
    from browser_agent.ports import BlobStore

BODY_BYTES = 16 * 1024 * 1024
"""Larger bodies are not kept; a replay says so."""
POSTED_CHARS = 20_000
_FILE_S = 2.0
_TEXT = ("text/", "json", "javascript", "xml", "urlencoded", "svg", "graphql")


class _Sink(Protocol):
    @property
    def bodies(self) -> BlobStore: ...


class Bodies:
    """The bodies of one recording."""

    def __init__(self, sink: _Sink) -> None:
        self._sink = sink
        self._steady: Steady | None = None
        self._files: dict[str, bytes] = {}
        self._arrived = asyncio.Event()

    @property
    def placeholders(self) -> Mapping[str, str]:
        """What stands in place of secrets: placeholder and kind."""
        return {} if self._steady is None else self._steady.placeholders

    def bind(self, redactor: Callable[[], Redacts]) -> None:
        """Redact by what ``redactor`` gives; it is asked each time, since it learns."""
        self._steady = Steady(redactor)

    def clean(self, text: str) -> str:
        """``text`` without secrets, at its own length."""
        return text if self._steady is None else self._steady.text(text)

    def posted(self, body: bytes) -> str:
        """What was posted, as the text by which it is found again."""
        return self.clean(body.decode("utf-8", "replace"))[:POSTED_CHARS]

    def frame(self, data: str | bytes) -> dict[str, object]:
        """A frame of a socket: ``text``, or ``bytes`` in base64."""
        if isinstance(data, str):
            return {"text": self.clean(data)}
        return {"bytes": base64.b64encode(data).decode()}

    def add(self, entry: dict[str, object], body: bytes, kind: str) -> None:
        """Store a body and name it in its entry."""
        if len(body) > BODY_BYTES:
            entry["partial"] = f"a body of {len(body)} bytes is not kept"
            return
        is_text = any(word in kind.lower() for word in _TEXT)
        clean, is_utf8 = self._clean_bytes(body) if is_text else (body, False)
        entry["body"] = self._sink.bodies.put(clean)
        if clean != body:
            entry["redacted"] = True
        if is_utf8 and not clean.isascii() and "utf-8" not in kind.lower():
            entry["utf8"] = True

    async def add_file(
        self, entry: dict[str, object], url: str, headers: Mapping[str, str]
    ) -> None:
        """The body of a download, which the browser keeps from the page, by its file."""
        if entry.get("kind") == "document":
            try:
                async with asyncio.timeout(_FILE_S):
                    while url not in self._files:
                        self._arrived.clear()
                        await self._arrived.wait()
            except TimeoutError:
                pass
        content = self._files.pop(url, None)
        if content is None:
            entry["partial"] = "the body was not to be had"
            return
        self.add(entry, content, headers.get("content-type", ""))
        entry.pop("utf8", None)

    def keep_file(self, url: str, path: Path) -> None:
        """Take the bytes of a download; too large a one is left out."""
        if path.stat().st_size <= BODY_BYTES:
            self._files[url] = path.read_bytes()
        self._arrived.set()

    def _clean_bytes(self, body: bytes) -> tuple[bytes, bool]:
        try:
            return self.clean(body.decode("utf-8")).encode(), True
        except UnicodeDecodeError:
            return self.clean(body.decode("latin-1")).encode("latin-1", "replace"), False
