"""One tab: its page, its lock, what is known of it without asking it. And the set of a session.

Owns tab ids, adoption and the cap on open pages. It never talks to a page's script.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import Page

    from browser_agent.browser.documents import TextDocument
    from browser_agent.browser.loads import Load, Loads
    from browser_agent.browser.observer import Observer

_ERROR_PAGE = "chrome-error:"
GoneCallback = Callable[[ErrorCode], None]


@dataclass(slots=True, eq=False, kw_only=True)
class Tab:
    """A page with a stable id (``t1``). One operation at a time holds ``lock``.

    ``gone`` is ``page_crashed`` or ``page_closed`` once the page cannot be used any more, else
    None. ``wedged`` says that its renderer did not answer in time, so the next navigation takes a
    fresh page; ``suspect`` that something hung, so it is asked first. ``dialog`` is the pending
    dialog ``{"kind", "message", …}`` while one is open.
    ``observer`` looks at the page. ``document`` stands in for the page where the address gave a
    text that browsers do not show (CSV, JSON, a feed). ``load`` is what the network said.
    """

    id: str
    page: Page
    observer: Observer
    loads: Loads
    opener: str | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    gone: ErrorCode | None = None
    wedged: bool = False
    suspect: bool = False
    recovered: str | None = None
    dialog: dict[str, object] | None = None
    document: TextDocument | None = None
    notes: dict[str, object] = field(default_factory=dict[str, object])
    _watchers: list[GoneCallback] = field(default_factory=list[GoneCallback])

    @property
    def usable(self) -> bool:
        """Whether operations can still be aimed at the page."""
        return self.gone is None and not self.page.is_closed()

    @property
    def load(self) -> Load | None:
        """The last load of the page's main document."""
        return self.loads.of(self.page)

    @property
    def shows_error(self) -> bool:
        """Whether the page is the browser's own error page or our proxy's refusal: no content."""
        load = self.load
        refused = load is not None and load.refusal is not None
        return refused or self.page.url.startswith(_ERROR_PAGE)

    def watch(self, callback: GoneCallback) -> None:
        """Call back once when the page crashes or closes."""
        self._watchers.append(callback)

    def unwatch(self, callback: GoneCallback) -> None:
        """Forget a callback; a missing one is no error."""
        if callback in self._watchers:
            self._watchers.remove(callback)

    def mark_gone(self, code: ErrorCode) -> None:
        """Record the end of the page, once, and tell who watches it."""
        if self.gone is not None:
            return
        self.gone = code
        for callback in tuple(self._watchers):
            callback(code)


class TabSet:
    """The tabs of one session, oldest first, with one current. Ids are never used twice."""

    def __init__(
        self, *, max_pages: int, loads: Loads, observe: Callable[[Page], Observer]
    ) -> None:
        self._tabs: list[Tab] = []
        self._by_page: dict[Page, Tab] = {}
        self._count = 0
        self._current: Tab | None = None
        self._listeners: list[Callable[[Tab], None]] = []
        self._loads = loads
        self._observe = observe
        self.max_pages = max_pages
        self.refused = 0

    def on_tab(self, listener: Callable[[Tab], None]) -> None:
        """Call ``listener`` with every tab that is adopted from now on."""
        self._listeners.append(listener)

    def adopt(self, page: Page, *, opener: str | None = None) -> Tab | None:
        """Take a page in; None when it is one too many (the caller closes it)."""
        known = self._by_page.get(page)
        if known is not None:
            return known
        return self._add(page, opener) if len(self.open) < self.max_pages else None

    def adopt_own(self, page: Page) -> Tab:
        """Take in a page that we opened ourselves, however many there are."""
        return self._by_page.get(page) or self._add(page, None)

    def _add(self, page: Page, opener: str | None) -> Tab:
        self._count += 1
        tab = Tab(
            id=f"t{self._count}",
            page=page,
            observer=self._observe(page),
            loads=self._loads,
            opener=opener,
        )
        self._tabs.append(tab)
        self._by_page[page] = tab
        page.on("crash", lambda _: tab.mark_gone(ErrorCode.PAGE_CRASHED))
        page.on("close", lambda _: self._drop(tab))
        for listener in self._listeners:
            listener(tab)
        return tab

    def _drop(self, tab: Tab) -> None:
        tab.mark_gone(ErrorCode.PAGE_CLOSED)
        tab.observer.close()
        self._by_page.pop(tab.page, None)
        if tab in self._tabs:
            self._tabs.remove(tab)
        opener = self.by_id(tab.opener) if tab.opener else None
        if tab is self._current and opener is not None and opener.usable:
            self._current = opener

    @property
    def open(self) -> tuple[Tab, ...]:
        """Tabs that can be used, oldest first."""
        return tuple(tab for tab in self._tabs if tab.usable)

    @property
    def all(self) -> tuple[Tab, ...]:
        """Every tab that was not closed yet, crashed ones too."""
        return tuple(self._tabs)

    @property
    def current(self) -> Tab | None:
        """The tab that operations use; it may be gone already."""
        return self._current

    def select(self, tab: Tab) -> None:
        """Make a tab the current one."""
        self._current = tab

    def by_id(self, tab_id: str) -> Tab | None:
        """The tab of an id, or None."""
        return next((tab for tab in self._tabs if tab.id == tab_id), None)

    def of_page(self, page: Page) -> Tab | None:
        """The tab that holds a page, or None."""
        return self._by_page.get(page)
