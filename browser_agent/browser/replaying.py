"""Replaying the page half: every request of a browser is answered from a recording or refused.

Nothing reaches the network: the egress proxy of a replay refuses everything, and this part answers
before it, by one interception of the whole browser (hops of redirects, workers and popups too), so
one replay at a time has a browser to itself. Strict: a request that was not recorded is noted as a
miss and fails. Pages get the recorded clock and seed. Which answer fits is ``recorded_answers``'
business, sockets are ``replay_sockets``'.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from browser_agent.browser.failures import is_playwright_error
from browser_agent.browser.page_clock import clock_script
from browser_agent.browser.recorded_answers import Answer, NetworkSource, RecordedAnswers
from browser_agent.browser.replay_sockets import RecordedSockets
from browser_agent.browser.taping import Ask, AskText
from browser_agent.errors import RecordingError
from browser_agent.logic.redact_steady import redact_steady

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page

    from browser_agent.browser.pdf_text import PdfText
    from browser_agent.browser.shared import Shared

_Event = Mapping[str, Any]
_REASONS = {
    "ERR_ABORTED": "Aborted",
    "ERR_ACCESS_DENIED": "AccessDenied",
    "ERR_ADDRESS_UNREACHABLE": "AddressUnreachable",
    "ERR_BLOCKED_BY_CLIENT": "BlockedByClient",
    "ERR_BLOCKED_BY_RESPONSE": "BlockedByResponse",
    "ERR_CONNECTION_ABORTED": "ConnectionAborted",
    "ERR_CONNECTION_CLOSED": "ConnectionClosed",
    "ERR_CONNECTION_FAILED": "ConnectionFailed",
    "ERR_CONNECTION_REFUSED": "ConnectionRefused",
    "ERR_CONNECTION_RESET": "ConnectionReset",
    "ERR_INTERNET_DISCONNECTED": "InternetDisconnected",
    "ERR_NAME_NOT_RESOLVED": "NameNotResolved",
    "ERR_TIMED_OUT": "TimedOut",
}
_taken: set[int] = set()


class NetworkReplay:
    """Answers one session. ``misses`` are what it asked for and the recording lacks."""

    slowness = 2.0

    def __init__(
        self,
        source: NetworkSource,
        *,
        start_ms: int,
        seed: int,
        placeholders: Mapping[str, str] | None = None,
    ) -> None:
        self._start_ms, self._seed = start_ms, seed
        self._placeholders = dict(placeholders or {})
        self._answers = RecordedAnswers(source)
        self._sockets = RecordedSockets(self._answers)
        self._shared: Shared | None = None
        self._devtools: CDPSession | None = None
        self._browser = 0
        self._artifact_dir: Path | None = None
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def misses(self) -> list[str]:
        """What was asked for and not recorded, in order."""
        return self._answers.misses

    async def attach(self, context: BrowserContext, shared: Shared) -> None:
        """Take over every request of the context's browser; RecordingError while another does."""
        browser = context.browser
        if browser is None or id(browser) in _taken:
            raise RecordingError("a browser replays one session at a time")
        self._browser = id(browser)
        _taken.add(self._browser)
        self._shared, self._artifact_dir = shared, shared.artifact_dir
        shared.artifact_dir = None  # names of files depend on what stands in their folder
        for text, kind in self._placeholders.items():
            shared.redactor = shared.redactor.with_secrets({kind: text})
        shared.proxy.close_network()
        script = clock_script(start_ms=self._start_ms, seed=self._seed)
        await context.add_init_script(script=script)
        await context.route_web_socket(lambda _: True, self._sockets.serve)
        self._devtools = await browser.new_browser_cdp_session()
        self._devtools.on("Fetch.requestPaused", self._on_paused)
        await self._send("Fetch.enable", patterns=[{"urlPattern": "*"}])

    async def watch(self, page: Page) -> None:
        """Nothing: requests are caught at the browser."""

    async def finish(self) -> None:
        """Let the browser go."""
        for task in self._sending:
            task.cancel()
        if self._devtools is not None:
            await self._send("Fetch.disable")
        _taken.discard(self._browser)
        if self._shared is not None:
            self._shared.artifact_dir = self._artifact_dir

    async def allows(self, url: str, ask: Ask | None) -> bool:
        """The recorded answer of robots.txt."""
        del ask
        return self._answers.robots(url)

    async def document(self, url: str, ask: AskText) -> PdfText | None:
        """The recorded text of a document."""
        del ask
        return self._answers.document(url)

    def keep_file(self, url: str, path: Path) -> None:
        """Nothing of a replay is kept."""

    def check(self) -> None:
        """Raise RecordingError for the first miss, with the nearest recorded request."""
        if self.misses:
            raise RecordingError(self.misses[0])

    def _on_paused(self, event: _Event) -> None:
        request = cast("_Event", event["request"])
        url, number = str(request["url"]), event["requestId"]
        if not url.startswith(("http:", "https:")):
            self._start(self._send("Fetch.continueRequest", requestId=number))
            return
        answer = self._answers.find(
            str(request["method"]),
            url,
            self._posted(request),
            part=_header(request, "range"),
        )
        if answer is not None and answer.pending:
            return  # it was not answered when it was recorded either
        self._start(self._give(number, url, answer))

    def _posted(self, request: _Event) -> str | None:
        """The posted body as it was recorded: without secrets, cut."""
        entries = cast("list[dict[str, str]]", request.get("postDataEntries") or [])
        body = b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
        text = body.decode("utf-8", "replace") if body else str(request.get("postData") or "")
        if not text or self._shared is None:
            return None
        return redact_steady(text, self._shared.redactor)

    async def _give(self, number: object, url: str, answer: Answer | None) -> None:
        if answer is not None and answer.decision is not None and self._shared is not None:
            told = answer.decision
            self._shared.proxy.note(
                url, allowed=bool(told["allowed"]), code=told["code"], reason=str(told["reason"])
            )
        if answer is None or answer.failed is not None:
            name = "" if answer is None else str(answer.failed).removeprefix("net::")
            reason = _REASONS.get(name, "Failed")
            await self._send("Fetch.failRequest", requestId=number, errorReason=reason)
            return
        await self._send(
            "Fetch.fulfillRequest",
            requestId=number,
            responseCode=answer.status,
            responseHeaders=[
                {"name": name, "value": value}
                for name, text in answer.headers.items()
                for value in text.split("\n")
            ],
            body=base64.b64encode(answer.body).decode(),
        )

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(work)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _send(self, method: str, **params: object) -> None:
        assert self._devtools is not None
        try:
            await self._devtools.send(method, params)  # pyright: ignore[reportUnknownMemberType] - untyped dicts
        except Exception as error:
            if not is_playwright_error(error):  # the page that asked is gone
                raise


def _header(request: _Event, name: str) -> str | None:
    headers = cast("Mapping[str, str]", request.get("headers") or {})
    return next((text for key, text in headers.items() if key.lower() == name), None)
