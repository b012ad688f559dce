"""When a page is quiet: no change of the DOM and no request under way for a while.

Owns the count of a page's open requests and the wait; the engine counts changes of the DOM.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from browser_agent.browser.observer_engine import FrameLost, ask
from browser_agent.browser.observer_types import Settled

if TYPE_CHECKING:
    from playwright.async_api import Frame, Page, Request

_LONG_REQUEST_S = 3.0
_WAITED_FOR = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
_LEAST_S = 0.01
_ASK_S = 1.0


class Traffic:
    """The requests of one page that are under way."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: dict[Request, float] = {}
        self._changed = asyncio.Event()
        self._moved_s = 0.0
        page.on("request", self._begin)
        page.on("requestfinished", self._end)
        page.on("requestfailed", self._end)

    @property
    def count(self) -> int:
        """How many requests are waited for; one that takes very long is a stream, not a load."""
        now = asyncio.get_running_loop().time()
        return sum(1 for began in self._open.values() if now - began < _LONG_REQUEST_S)

    @property
    def idle_ms(self) -> float:
        """How long ago a request began or ended: scripts want a moment to use an answer."""
        return (asyncio.get_running_loop().time() - self._moved_s) * 1000

    async def wait_change(self, limit_s: float) -> None:
        """Return when a request began or ended, or after ``limit_s``."""
        self._changed.clear()
        try:
            async with asyncio.timeout(limit_s):
                await self._changed.wait()
        except TimeoutError:
            return

    def close(self) -> None:
        """Stop listening."""
        self._page.remove_listener("request", self._begin)
        self._page.remove_listener("requestfinished", self._end)
        self._page.remove_listener("requestfailed", self._end)
        self._open.clear()

    def _begin(self, request: Request) -> None:
        if request.resource_type not in _WAITED_FOR:
            return
        self._open[request] = self._moved_s = asyncio.get_running_loop().time()
        self._changed.set()

    def _end(self, request: Request) -> None:
        if self._open.pop(request, None) is not None:
            self._moved_s = asyncio.get_running_loop().time()
            self._changed.set()


async def wait_quiet(
    frame: Frame, traffic: Traffic, *, quiet_ms: int, limit_s: float, whole: bool = False
) -> Settled:
    """Wait for ``quiet_ms`` without change, at most ``limit_s``; a silent page is not quiet.

    ``whole``: the quiet time counts from now on, for a page that was quiet before.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    mutations = 0
    quiet = False
    while not quiet and (left_s := began + limit_s - loop.time()) > 0:
        try:
            answer = await ask(frame, "quiet", timeout_s=min(left_s + _LEAST_S, _ASK_S))
        except FrameLost as lost:
            if lost.reason in ("navigated", "timeout"):
                continue
            break
        mutations = answer.number("mutations")
        idle_ms = min(answer.number("idle"), traffic.idle_ms)
        if whole:
            idle_ms = min(idle_ms, (loop.time() - began) * 1000)
        loaded = answer.text("ready") != "loading"
        quiet = loaded and idle_ms >= quiet_ms and traffic.count == 0
        if not quiet:
            rest_s = max(_LEAST_S, (quiet_ms - idle_ms) / 1000)
            await traffic.wait_change(min(rest_s, max(_LEAST_S, began + limit_s - loop.time())))
    return Settled(
        quiet=quiet, waited_s=loop.time() - began, mutations=mutations, requests_open=traffic.count
    )
