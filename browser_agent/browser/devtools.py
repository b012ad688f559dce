"""What Chromium tells of a tab beyond Playwright's events: windows and downloads on their way.

Owns one CDP session for each tab. It only listens. Browsers without CDP tell nothing, and
everything that uses this does without it then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page

    from browser_agent.browser.core import Core
    from browser_agent.browser.tab import Tab

Event = Mapping[str, object]
POPUP_S = 2.0
"""How long a window that was announced may take to be there."""


class Devtools:
    """Listens to the tabs of one session; :meth:`on` before the first tab is there."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._handlers: dict[str, Callable[[Event], None]] = {}
        core.tabs.on_tab(lambda tab: core.spawn(self._attach(tab)))
        for tab in core.tabs.all:
            core.spawn(self._attach(tab))

    def on(self, event: str, handler: Callable[[Event], None]) -> None:
        """Call ``handler`` for an event of the Page domain of any tab."""
        self._handlers[event] = handler

    async def _attach(self, tab: Tab) -> None:
        session = await self._core.context.new_cdp_session(tab.page)
        for event, handler in self._handlers.items():
            session.on(event, handler)
        await session.send("Page.enable")  # pyright: ignore[reportUnknownMemberType] - untyped dicts


class Popups:
    """Windows that pages are about to open: announced at once, there when their server answers."""

    def __init__(self, core: Core, devtools: Devtools) -> None:
        self._awaited: list[str] = []
        self._arrived = asyncio.Event()
        devtools.on("Page.windowOpen", self._announce)
        core.context.on("page", self._arrive)

    async def arrive(self) -> tuple[str, ...]:
        """Wait for announced windows, at most :data:`POPUP_S`; URLs of those not there by then."""
        loop = asyncio.get_running_loop()
        end = loop.time() + POPUP_S
        while self._awaited and loop.time() < end:
            self._arrived.clear()
            timer = loop.call_at(end, self._arrived.set)
            await self._arrived.wait()
            timer.cancel()
        late, self._awaited = tuple(self._awaited), []
        return late

    def _announce(self, event: Event) -> None:
        self._awaited.append(str(event.get("url"))[:2_000])

    def _arrive(self, _: Page) -> None:
        del self._awaited[:1]
        self._arrived.set()
