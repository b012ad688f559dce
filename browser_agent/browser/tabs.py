"""Tabs as operations: list, open, select, close. Popups stand in the list like all others.

Owns nothing but the operations; ids and the cap on open pages live with the set of tabs.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.stage import check_type
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.navigate import Navigator
    from browser_agent.browser.operation import Body, Operation
    from browser_agent.browser.tab import Tab
    from browser_agent.records.result import Result

TITLE_S = 1.0
"""How long a tab that does not answer may delay the list."""


class Tabs:
    """The tabs of one session."""

    def __init__(self, core: Core, navigator: Navigator) -> None:
        self._core = core
        self._navigator = navigator

    async def tabs(self) -> Result:
        """The open tabs, oldest first, with how many popups were refused."""
        return await self._run("tabs", self._list)

    async def new_tab(self, url: str | None = None) -> Result:
        """Open a tab and make it current; with a URL, the Result of navigating there."""

        async def act(op: Operation) -> Outcome:
            if len(self._core.tabs.open) >= self._core.limits.max_pages:
                limit = self._core.limits.max_pages
                fail(ErrorCode.TOO_LARGE, f"{limit} tabs are open, which is the limit; close one.")
            self._core.tabs.select(await op.call(self._core.open_page()))
            return await self._list(op)

        opened = await self._run("new_tab", act)
        if url is None or not opened.is_ok:
            return opened
        return await self._navigator.navigate(url)

    async def select_tab(self, tab: str) -> Result:
        """Make a tab current; ``not_found`` names the open ones."""
        check_type(tab, str, "tab")

        async def act(op: Operation) -> Outcome:
            chosen = self._find(tab)
            self._core.tabs.select(chosen)
            showing = asyncio.ensure_future(chosen.page.bring_to_front())
            await asyncio.wait({showing}, timeout=min(TITLE_S, op.remaining_s()))
            _abandon(showing)
            return await self._list(op)

        return await self._run("select_tab", act)

    async def close_tab(self, tab: str) -> Result:
        """Close a tab; the current one gives way to its opener or to the newest other tab."""
        check_type(tab, str, "tab")

        async def act(op: Operation) -> Outcome:
            chosen = self._find(tab)
            was_current = chosen is self._core.tabs.current
            op.dispatching()
            await op.call(chosen.page.close())
            op.acknowledged()
            if was_current:
                self._step_back(chosen)
            return await self._list(op)

        return await self._run("close_tab", act)

    def _step_back(self, closed: Tab) -> None:
        opener = self._core.tabs.by_id(closed.opener) if closed.opener else None
        others = self._core.tabs.open
        if opener is not None and opener.usable:
            self._core.tabs.select(opener)
        elif others:
            self._core.tabs.select(others[-1])

    def _find(self, tab: str) -> Tab:
        found = self._core.tabs.by_id(tab)
        if found is None:
            known = ", ".join(one.id for one in self._core.tabs.all) or "none"
            fail(ErrorCode.NOT_FOUND, f"No tab '{tab[:20]}' is open; open tabs: {known}.")
        return found

    async def _list(self, op: Operation) -> Outcome:
        tabs = self._core.tabs.all
        titles = await _titles(tabs, min(TITLE_S, op.remaining_s()))
        items = [self._row(tab, title) for tab, title in zip(tabs, titles, strict=True)]
        return Outcome(data={"items": items, "dropped": self._core.tabs.refused})

    def _row(self, tab: Tab, title: str | None) -> dict[str, object]:
        row: dict[str, object] = {
            "id": tab.id,
            "title": title,
            "url": tab.page.url[:2_000],
            "current": tab is self._core.tabs.current,
        }
        if tab.opener is not None:
            row["opener"] = tab.opener
        if tab.gone is not None:
            row["gone"] = str(tab.gone)
        return row

    async def _run(self, name: str, body: Body) -> Result:
        limit_s = self._core.limits.action_timeout_s
        kind = Kind(name, limit_s, ErrorCode.ACTION_TIMEOUT, on_page=False, despite_dialog=True)
        return await self._core.run(kind, body)


async def _titles(tabs: tuple[Tab, ...], within_s: float) -> list[str | None]:
    """Titles in order; None for a page that does not answer in time."""
    asked = [asyncio.ensure_future(tab.page.title()) for tab in tabs]
    if asked:
        await asyncio.wait(asked, timeout=within_s)
    return [_title(task) for task in asked]


def _title(task: asyncio.Future[str]) -> str | None:
    if not task.done():
        _abandon(task)
        return None
    if task.cancelled() or task.exception() is not None:
        return None
    return task.result()[:500]


def _abandon(task: asyncio.Future[str] | asyncio.Future[None]) -> None:
    if not task.done():
        task.cancel()
    task.add_done_callback(lambda done: None if done.cancelled() else done.exception())
