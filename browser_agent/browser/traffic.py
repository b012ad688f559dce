"""The requests of one session, as its pages made them: a bounded log with a running number.

Owns the log and the marks that operations take on it. It reads no body, keeps no header, and
changes no request.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.browser.egress_http import MARK_HEADER
from browser_agent.browser.failures import is_playwright_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import BrowserContext, Frame, Request, Response

    from browser_agent.browser.tab import TabSet

KEPT = 500
_SAVES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_BACKGROUND = frozenset({"ping", "beacon", "cspviolationreport"})
_POLLS = 2
"""So many earlier requests of one method and path make the next one a poll of the page."""


@dataclass(slots=True, eq=False, kw_only=True)
class Entry:
    """One request. ``failure`` is the network's word, or the code of our proxy, for a request that
    got no answer of its server.
    """

    index: int
    method: str
    url: str
    kind: str
    tab: str | None
    navigation: bool
    started_s: float
    request: Request = field(repr=False)
    status: int | None = None
    failure: str | None = None
    answered_s: float = 0.0

    @property
    def answered(self) -> bool:
        """Whether the server's answer has begun, or the request has ended without one."""
        return self.status is not None or self.failure is not None

    @property
    def is_save(self) -> bool:
        """Whether it asks the server to change something and the page would look at the answer."""
        return self.method in _SAVES and self.kind not in _BACKGROUND


class TrafficLog:
    """Requests in order of their start; the oldest are dropped beyond the bound."""

    def __init__(self, context: BrowserContext, tabs: TabSet) -> None:
        self._tabs = tabs
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._by_request: dict[Request, Entry] = {}
        self._seen: Counter[tuple[str, str]] = Counter()
        self._listeners: list[Callable[[Entry], None]] = []
        self.count = 0
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_failed)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What is kept, oldest first."""
        return tuple(self._entries)

    @property
    def dropped(self) -> int:
        """How many are not kept any more."""
        return self.count - len(self._entries)

    def on_change(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Call back for every start and end of a request; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def since(self, mark: int, tab: str) -> tuple[Entry, ...]:
        """Requests of a tab that began after ``count`` was ``mark``."""
        found: list[Entry] = []
        for entry in reversed(self._entries):
            if entry.index < mark:
                break
            if entry.tab == tab:
                found.append(entry)
        return tuple(reversed(found))

    def open_saves(self, mark: int, tab: str) -> tuple[Entry, ...]:
        """Saves since ``mark`` without an answer; what the page polls anyway is left out."""
        return tuple(
            entry
            for entry in self.since(mark, tab)
            if entry.is_save and not entry.answered and not self._is_poll(entry, mark)
        )

    def open_navigation(self, mark: int, tab: str) -> Entry | None:
        """The navigation of the tab's main frame that began last, when it has no answer yet."""
        found = [entry for entry in self.since(mark, tab) if entry.navigation]
        return found[-1] if found and not found[-1].answered else None

    def _is_poll(self, entry: Entry, mark: int) -> bool:
        earlier = sum(
            one.index < mark and one.method == entry.method and _path(one.url) == _path(entry.url)
            for one in self._entries
        )
        return earlier >= _POLLS

    def _on_request(self, request: Request) -> None:
        frame = _frame_of(request)
        tab = self._tabs.of_page(frame.page) if frame is not None else None
        main = frame is None or frame.parent_frame is None
        entry = Entry(
            index=self.count,
            method=request.method,
            url=request.url,
            kind=request.resource_type,
            tab=tab.id if tab is not None else None,
            navigation=main and request.is_navigation_request(),
            started_s=asyncio.get_running_loop().time(),
            request=request,
        )
        if len(self._entries) == KEPT:
            self._by_request.pop(self._entries[0].request, None)
        self.count += 1
        self._entries.append(entry)
        self._by_request[request] = entry
        self._tell(entry)

    def _on_response(self, response: Response) -> None:
        entry = self._by_request.get(response.request)
        if entry is not None:
            refusal = response.headers.get(MARK_HEADER.lower())
            if refusal is None:
                entry.status = response.status
            else:
                entry.failure = refusal
            entry.answered_s = asyncio.get_running_loop().time()
            self._tell(entry)

    def _on_failed(self, request: Request) -> None:
        entry = self._by_request.get(request)
        if entry is not None:
            entry.failure = request.failure or "failed"
            entry.answered_s = asyncio.get_running_loop().time()
            self._tell(entry)

    def _tell(self, entry: Entry) -> None:
        for listener in tuple(self._listeners):
            listener(entry)


def _path(url: str) -> str:
    return url.partition("?")[0]


def _frame_of(request: Request) -> Frame | None:
    """The request's frame; None for a worker's, or a popup's that has no frame yet."""
    try:
        return request.frame
    except Exception as error:
        if is_playwright_error(error):
            return None
        raise
