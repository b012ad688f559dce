"""Recording what the pages of a session receive, as it arrives, redacted as it is written.

Owns the page half of a recording: one entry a response, bodies by digest, and the clock and seed
that the pages are given so that a replay can give them the same again. Placeholders keep the
length of what they replace and are the same for the same value, so that pages still work.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from browser_agent.browser.failures import is_playwright_error
from browser_agent.logic.redact_steady import redact_steady

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Request, Response, WebSocket

    from browser_agent.browser.shared import Shared
    from browser_agent.ports import BlobStore

BODY_BYTES = 16 * 1024 * 1024
"""Larger bodies are not kept; a replay says so."""

_FLUSH_S = 3.0
_TEXT = ("text/", "json", "javascript", "xml", "urlencoded", "svg", "graphql")
_DROPPED_HEADERS = frozenset(
    [
        "set-cookie",
        "cookie",
        "authorization",
        "proxy-authorization",
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "connection",
        "strict-transport-security",
        "alt-svc",
    ]
)

PAGE_SCRIPT = """
(() => {
  const start = %(start)d, seed = %(seed)d, begun = performance.now(), RealDate = Date;
  const now = () => Math.floor(start + performance.now() - begun);
  class PageDate extends RealDate {
    constructor(...given) { given.length ? super(...given) : super(now()); }
    static now() { return now(); }
  }
  Object.defineProperty(PageDate, 'name', {value: 'Date'});
  globalThis.Date = PageDate;
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  Math.random = next;
  const crypto = globalThis.crypto;
  if (crypto) {
    crypto.getRandomValues = (array) => {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(next() * 256);
      return array;
    };
    if (crypto.randomUUID) crypto.randomUUID = () => {
      const hex = Array.from({length: 32}, () => Math.floor(next() * 16).toString(16));
      hex[12] = '4'; hex[16] = '8';
      const s = hex.join('');
      return `${s.slice(0,8)}-${s.slice(8,12)}-${s.slice(12,16)}-${s.slice(16,20)}-${s.slice(20)}`;
    };
  }
})();
"""


class NetworkSink(Protocol):
    """Where the page half goes."""

    @property
    def bodies(self) -> BlobStore: ...

    def add_network(self, entry: Mapping[str, object]) -> None: ...


class Tape(Protocol):
    """What a session is recorded on, or replayed from."""

    async def attach(self, context: BrowserContext, shared: Shared) -> None:
        """Bind to a fresh context, before its first page."""
        ...

    async def finish(self) -> None:
        """Write what is still under way; bounded, before the context closes."""
        ...


class NetworkRecorder:
    """Records one session. ``start_ms`` and ``seed`` are what its pages see."""

    def __init__(self, sink: NetworkSink) -> None:
        self._sink = sink
        self._shared: Shared | None = None
        self._writing: set[asyncio.Task[None]] = set()
        self._count = 0
        self.start_ms = int(datetime.now(UTC).timestamp() * 1000)
        self.seed = secrets.randbits(31)

    async def attach(self, context: BrowserContext, shared: Shared) -> None:
        """Listen to every response of the context and give its pages clock and seed."""
        self._shared = shared
        script = PAGE_SCRIPT % {"start": self.start_ms, "seed": self.seed}
        await context.add_init_script(script=script)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_failed)
        context.on("page", lambda page: page.on("websocket", self._on_socket))

    async def finish(self) -> None:
        """Wait a little for bodies that are still on their way."""
        if self._writing:
            await asyncio.wait(self._writing, timeout=_FLUSH_S)
        for task in self._writing:
            task.cancel()

    def _on_response(self, response: Response) -> None:
        self._count += 1
        task = asyncio.ensure_future(self._write(self._count, response))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    def _on_failed(self, request: Request) -> None:
        self._count += 1
        self._sink.add_network(
            {**self._head(self._count, request), "failed": (request.failure or "failed")[:80]}
        )

    def _on_socket(self, socket: WebSocket) -> None:
        self._count += 1
        entry = {"n": self._count, "method": "WS", "url": self._clean(socket.url), "kind": "ws"}
        self._sink.add_network(entry)
        socket.on("framereceived", lambda data: self._on_frame(socket.url, data))

    def _on_frame(self, url: str, data: str | bytes) -> None:
        self._count += 1
        text = data if isinstance(data, str) else data.decode("utf-8", "replace")
        frame = {"n": self._count, "kind": "frame", "url": self._clean(url)}
        self._sink.add_network({**frame, "text": self._clean(text)})

    async def _write(self, number: int, response: Response) -> None:
        request = response.request
        entry = self._head(number, request)
        entry["status"] = response.status
        entry["headers"] = self._headers(response.headers)
        if 300 <= response.status < 400 and "location" in response.headers:
            entry["location"] = self._clean(response.headers["location"])
        else:
            await self._add_body(entry, response)
        self._sink.add_network(entry)

    async def _add_body(self, entry: dict[str, object], response: Response) -> None:
        try:
            body = await response.body()
        except Exception as error:
            if not is_playwright_error(error):
                raise
            entry["partial"] = "the body was not to be had"
            return
        if len(body) > BODY_BYTES:
            entry["partial"] = f"a body of {len(body)} bytes is not kept"
            return
        kind = response.headers.get("content-type", "")
        clean = self._clean_bytes(body, kind)
        entry["body"] = self._sink.bodies.put(clean)
        if clean != body:
            entry["redacted"] = True

    def _head(self, number: int, request: Request) -> dict[str, object]:
        made: dict[str, object] = {
            "n": number,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "method": request.method,
            "url": self._clean(request.url),
            "kind": request.resource_type,
        }
        body = request.post_data_buffer
        if body:
            made["post"] = hashlib.sha256(self._clean_bytes(body, "text/")).hexdigest()
            made["post_text"] = self._clean_bytes(body, "text/").decode("utf-8", "replace")[:20_000]
        return made

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: self._clean(value)
            for name, value in headers.items()
            if name.lower() not in _DROPPED_HEADERS
        }

    def _clean(self, text: str) -> str:
        return text if self._shared is None else redact_steady(text, self._shared.redactor)

    def _clean_bytes(self, body: bytes, kind: str) -> bytes:
        if not any(word in kind.lower() for word in _TEXT):
            return body
        try:
            return self._clean(body.decode("utf-8")).encode()
        except UnicodeDecodeError:
            return self._clean(body.decode("latin-1")).encode("latin-1", "replace")
