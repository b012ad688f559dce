"""What the network said of each page's main document: redirects, status, content type, refusal.

Owns listening; it asks the page nothing, so it also works for pages that hang. Records exist for
popups too, whose first request comes before the page is known as a tab.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from browser_agent.browser.failures import is_playwright_error

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Frame, Page, Request, Response

    from browser_agent.browser.egress import EgressProxy, ProxyDecision

_REFUSAL_HEADER = "x-browser-agent"
EARLY = 50
"""So many requests of pages that are not there yet are kept."""


@dataclass(slots=True, eq=False, kw_only=True)
class Load:
    """One load of a main document. URLs are raw.

    ``refusal`` is the egress proxy's decision where the document is the proxy's own reply;
    ``failure`` is the browser's word (``net::ERR_…``) for a load that gave no document.
    ``begun_s`` and ``answered_s`` are times of the monotonic clock: request and last response.
    """

    url: str
    redirects: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    status: int | None = None
    content_type: str | None = None
    length: int | None = None
    challenged: bool = False
    refusal: ProxyDecision | None = None
    failure: str | None = None
    response: Response | None = None
    mark: int = 0
    begun_s: float = field(default_factory=time.monotonic)
    answered_s: float | None = None


class Loads:
    """The last load of every page of one context."""

    def __init__(self, context: BrowserContext, proxy: EgressProxy) -> None:
        self._proxy = proxy
        self._loads: WeakKeyDictionary[Page, Load] = WeakKeyDictionary()
        self._by_request: WeakKeyDictionary[Request, Load] = WeakKeyDictionary()
        self._early: deque[Request] = deque(maxlen=EARLY)
        context.on("request", self._on_request)
        context.on("page", self._on_page)
        context.on("response", self._on_response)
        context.on("requestfailed", self._on_failed)

    def of(self, page: Page) -> Load | None:
        """The newest load of a page; None when it never requested a document."""
        return self._loads.get(page)

    def forget(self, page: Page) -> None:
        """Drop the record of a page that is about to load anew."""
        self._loads.pop(page, None)

    def _on_request(self, request: Request) -> None:
        if not request.is_navigation_request():
            return
        frame = _frame_of(request)
        if frame is not None and frame.parent_frame is not None:
            return
        before = request.redirected_from
        load = self._by_request.get(before) if before is not None else None
        if load is None:
            load = Load(url=request.url, mark=self._proxy.mark())
        else:
            load.redirects.append((load.url, load.status or 0))
            load.url, load.status, load.response = request.url, None, None
        self._by_request[request] = load
        if frame is not None:
            self._loads[frame.page] = load
        else:
            self._early.append(request)

    def _on_page(self, _: Page) -> None:
        """A popup is there: its first request, which came before it, can be told to be its own."""
        waiting, self._early = self._early, deque(maxlen=EARLY)
        for request in waiting:
            frame = _frame_of(request)
            if frame is None:
                self._early.append(request)
            elif frame.parent_frame is None:
                self._loads.setdefault(frame.page, self._by_request[request])

    def _on_response(self, response: Response) -> None:
        load = self._by_request.get(response.request)
        if load is None:
            return
        headers = response.headers
        load.status = response.status
        load.answered_s = time.monotonic()
        load.content_type = headers.get("content-type")
        load.length = _whole(headers.get("content-length"))
        load.challenged = headers.get("cf-mitigated") == "challenge"
        load.response = response
        if _REFUSAL_HEADER in headers:
            decision = self._proxy.last_decision(load.url, since=0)
            load.refusal = decision if decision is not None and decision.code else None

    def _on_failed(self, request: Request) -> None:
        load = self._by_request.get(request)
        if load is not None:
            load.failure = request.failure or "failed"


def _frame_of(request: Request) -> Frame | None:
    """The frame that a document is for; None while its page is not there yet."""
    try:
        return request.frame
    except Exception as error:
        if is_playwright_error(error):
            return None
        raise


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() else None
