"""Recording what the pages of a session receive, as it arrives, redacted as it is written.

Owns the page half of a recording: one entry a request, numbered as it was sent, bodies by digest,
frames of sockets and event streams, and the clock and seed that the pages are given so that a
replay can give them the same again. What a body or file becomes is ``taped_bodies``' business.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from browser_agent._urls import display_url
from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.page_clock import clock_script
from browser_agent.browser.taped_bodies import Bodies

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page, Request, Response, WebSocket

    from browser_agent.browser.pdf_text import PdfText
    from browser_agent.browser.shared import Shared
    from browser_agent.ports import BlobStore

_FLUSH_S = 3.0
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
_STREAM = "text/event-stream"
Ask = Callable[[str], Awaitable[bool]]
AskText = Callable[[], "Awaitable[PdfText | None]"]


class NetworkSink(Protocol):
    """Where the page half goes."""

    @property
    def bodies(self) -> BlobStore: ...

    def add_network(self, entry: Mapping[str, object]) -> None: ...


class Tape(Protocol):
    """What a session is recorded on, or replayed from."""

    @property
    def slowness(self) -> float:
        """By how much longer than usual a page must be quiet to be at rest."""
        ...

    async def attach(self, context: BrowserContext, shared: Shared) -> None:
        """Bind to a fresh context, before its first page."""
        ...

    async def watch(self, page: Page) -> None:
        """Called for a page that we opened, before it goes anywhere."""
        ...

    async def finish(self) -> None:
        """Write what is still under way; bounded, before the context closes."""
        ...

    async def allows(self, url: str, ask: Ask | None) -> bool:
        """Whether robots.txt admits the URL; ``ask`` finds out, None where it does not bind."""
        ...

    async def document(self, url: str, ask: AskText) -> PdfText | None:
        """The text of a document that the browser shows in a viewer of its own."""
        ...

    def keep_file(self, url: str, path: Path) -> None:
        """A page gave a file; it stands at ``path`` until this returns."""
        ...


class NetworkRecorder:
    """Records one session. ``start_ms`` and ``seed`` are what its pages see."""

    slowness = 4.0

    def __init__(self, sink: NetworkSink) -> None:
        self._sink = sink
        self._shared: Shared | None = None
        self._bodies = Bodies(sink)
        self._tasks: dict[asyncio.Task[None], dict[str, object] | None] = {}
        self._open: dict[Request, dict[str, object]] = {}
        self._streams: dict[str, str] = {}
        self._devtools: list[CDPSession] = []
        self._watched: dict[Page, asyncio.Event] = {}
        self._urls: set[str] = set()
        self._count = self._mark = 0
        self._is_over = False
        self.start_ms = int(datetime.now(UTC).timestamp() * 1000)
        self.seed = secrets.randbits(31)

    @property
    def placeholders(self) -> Mapping[str, str]:
        """What stands in place of secrets: placeholder and kind."""
        return self._bodies.placeholders

    async def attach(self, context: BrowserContext, shared: Shared) -> None:
        """Listen to every request of the context and give its pages clock and seed."""
        self._shared, self._mark = shared, shared.proxy.mark()
        self._bodies.bind(lambda: shared.redactor)
        await context.add_init_script(script=clock_script(start_ms=self.start_ms, seed=self.seed))
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_failed)
        context.on("page", self._on_page)

    async def finish(self) -> None:
        """Wait a little for bodies that are on their way, then say what never came."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_FLUSH_S)
        self._is_over = True
        for task, entry in list(self._tasks.items()):
            task.cancel()
            if entry is not None:
                self._sink.add_network({**entry, "partial": "it had not ended"})
        for entry in self._open.values():
            self._sink.add_network({**entry, "pending": True})
        self._add_untold()

    async def allows(self, url: str, ask: Ask | None) -> bool:
        """Ask, and write the answer down."""
        allowed = ask is None or await ask(url)
        entry = {"n": self._next(), "kind": "robots", "url": self._clean(url), "allowed": allowed}
        self._sink.add_network(entry)
        return allowed

    async def document(self, url: str, ask: AskText) -> PdfText | None:
        """Find the text, and write it down."""
        entry: dict[str, object] = {"n": self._next(), "kind": "text", "url": self._clean(url)}
        found = await ask()
        if found is not None:
            texts = {"title": self._clean(found.title), "text": self._clean(found.text)}
            entry |= {**texts, "cut": found.cut}
        self._sink.add_network(entry)
        return found

    def keep_file(self, url: str, path: Path) -> None:
        """Keep the bytes of a download for the entry of its response."""
        self._bodies.keep_file(url, path)

    def _add_untold(self) -> None:
        """What the proxy saw and the browser never told: a page that hangs after it has asked."""
        assert self._shared is not None
        for decision in self._shared.proxy.decisions(since=self._mark):
            url = self._clean(decision.url)
            if decision.method == "CONNECT" or url in self._urls or decision.code is not None:
                continue
            told = {"method": decision.method, "url": url, "kind": "untold"}
            self._sink.add_network({"n": self._next(), **told, "blind": True, "pending": True})

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _run(
        self, work: Coroutine[object, object, None], entry: dict[str, object] | None = None
    ) -> None:
        task = asyncio.ensure_future(work)
        self._tasks[task] = entry
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    def _on_page(self, page: Page) -> None:
        page.on("websocket", self._on_socket)
        self._run(self.watch(page))

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith(("http:", "https:")):
            return
        entry: dict[str, object] = {
            "n": self._next(),
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "method": request.method,
            "url": self._clean(request.url),
            "kind": request.resource_type,
        }
        if "range" in request.headers:
            entry["range"] = request.headers["range"]
        body = request.post_data_buffer
        if body:
            entry["post_text"] = self._bodies.posted(body)
        elif "content-type" in request.headers:
            entry["blind"] = True  # files: the browser does not tell them
        self._open[request] = entry
        self._urls.add(self._clean(display_url(request.url)))

    def _on_response(self, response: Response) -> None:
        entry = self._open.pop(response.request, None)
        if entry is None or self._is_over:
            return
        entry["status"] = response.status
        entry["headers"] = self._headers(response.headers)
        self._add_decision(entry, response.url, "x-browser-agent" in response.headers)
        if 300 <= response.status < 400 and "location" in response.headers:
            entry["location"] = self._clean(response.headers["location"])
        elif response.headers.get("content-type", "").startswith(_STREAM):
            entry["stream"] = True
            if response.url not in self._streams.values():
                entry["partial"] = "its messages were not seen"
        else:
            self._run(self._write(entry, response), entry)
            return
        self._sink.add_network(entry)

    def _on_failed(self, request: Request) -> None:
        entry = self._open.pop(request, None)
        if entry is None or self._is_over:
            return
        entry["failed"] = (request.failure or "failed")[:80]
        self._add_decision(entry, request.url, True)
        self._sink.add_network(entry)

    def _add_decision(self, entry: dict[str, object], url: str, wanted: bool) -> None:
        assert self._shared is not None
        decision = self._shared.proxy.last_decision(url) if wanted else None
        if decision is not None and decision.code is not None:
            entry["decision"] = {
                "allowed": decision.allowed,
                "code": decision.code,
                "reason": decision.reason,
            }

    async def _write(self, entry: dict[str, object], response: Response) -> None:
        try:
            body = await response.body()
        except Exception as error:
            if not is_playwright_error(error):
                raise
            await self._bodies.add_file(entry, response.url, response.headers)
        else:
            self._bodies.add(entry, body, response.headers.get("content-type", ""))
        if not self._is_over:
            self._sink.add_network(entry)

    def _on_socket(self, socket: WebSocket) -> None:
        number = self._next()
        head = {"method": "WS", "url": self._clean(socket.url), "kind": "ws"}
        self._sink.add_network({"n": number, **head})
        socket.on("framereceived", lambda data: self._add_frame(number, "in", data))
        socket.on("framesent", lambda data: self._add_frame(number, "out", data))
        socket.on("close", lambda _: self._add_frame(number, "end", ""))

    def _add_frame(self, socket: int, way: str, data: str | bytes) -> None:
        if self._is_over:
            return
        frame = {"n": self._next(), "kind": "frame", "socket": socket, "way": way}
        self._sink.add_network({**frame, **self._bodies.frame(data)})

    async def watch(self, page: Page) -> None:
        """Messages of event streams, which only the browser's own protocol tells one by one."""
        if page in self._watched:
            await self._watched[page].wait()
            return
        done = self._watched[page] = asyncio.Event()
        try:
            devtools = await page.context.new_cdp_session(page)
            self._devtools.append(devtools)
            devtools.on("Network.requestWillBeSent", self._note_stream)
            devtools.on("Network.eventSourceMessageReceived", self._add_event)
            await devtools.send("Network.enable")  # pyright: ignore[reportUnknownMemberType] - untyped dicts
        except Exception as error:
            if not is_playwright_error(error):
                raise
        finally:
            done.set()

    def _note_stream(self, event: Mapping[str, object]) -> None:
        if event.get("type") == "EventSource":
            request = cast("Mapping[str, object]", event["request"])
            self._streams[str(event["requestId"])] = str(request["url"])

    def _add_event(self, event: Mapping[str, object]) -> None:
        url = self._streams.get(str(event.get("requestId")))
        if url is None or self._is_over:
            return
        message = {
            "n": self._next(),
            "kind": "event",
            "url": self._clean(url),
            "name": event.get("eventName") or "message",
            "text": self._clean(str(event.get("data", ""))),
        }
        self._sink.add_network(message)

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        kept = {key: text for key, text in headers.items() if key.lower() not in _DROPPED_HEADERS}
        return {key: self._clean(text) for key, text in kept.items()}

    def _clean(self, text: str) -> str:
        return self._bodies.clean(text)
