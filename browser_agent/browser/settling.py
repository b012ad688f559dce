"""When an action's page is at rest: answers to what it sent, a new document, a quiet DOM.

Owns the waits between a dispatch and the look at the page. No wait here is a fixed time.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Frame

    from browser_agent.browser.tab import Tab, TabSet
    from browser_agent.browser.trace import Trace
    from browser_agent.browser.traffic import Entry, TrafficLog

QUIET_MS = 30
"""How long a page that has changed itself must be quiet."""
BUSY_MS = 100
"""How long a page that has asked its server must be quiet: it works on the answer yet."""
SILENT_MS = 120
"""How long a page that shows no reaction at all is watched before that is reported."""
LIMIT_S = 1.0
ROUNDS = 3
_NO_DOCUMENT = frozenset({204, 205})
COMMIT_S = 1.0
"""How long after its answer a document may take to be put in place."""


class Commits:
    """Counts, for each tab, how often its main frame went to another document or URL."""

    def __init__(self, tabs: TabSet) -> None:
        self._counts: dict[str, int] = {}
        self._listeners: list[Callable[[], None]] = []
        tabs.on_tab(self._follow)
        for tab in tabs.all:
            self._follow(tab)

    def of(self, tab: Tab) -> int:
        """The count of a tab."""
        return self._counts.get(tab.id, 0)

    def on_commit(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call back at every commit; returns what ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _follow(self, tab: Tab) -> None:
        def count(frame: Frame) -> None:
            if frame.parent_frame is None:
                self._counts[tab.id] = self.of(tab) + 1
                for listener in tuple(self._listeners):
                    listener()

        tab.page.on("framenavigated", count)


def is_open(traffic: TrafficLog, commits: Commits, trace: Trace) -> bool:
    """Whether the page waits for an answer to something that began after the dispatch."""
    if traffic.open_saves(trace.traffic, trace.tab.id):
        return True
    return _open_document(traffic, commits, trace) is not None


async def wait_answers(traffic: TrafficLog, commits: Commits, trace: Trace) -> None:
    """Return once nothing of :func:`is_open` is left (the caller bounds the time)."""
    woken = asyncio.Event()
    ends = [traffic.on_change(lambda _: woken.set()), commits.on_commit(woken.set)]
    loop = asyncio.get_running_loop()
    try:
        while is_open(traffic, commits, trace):
            woken.clear()
            timer = loop.call_later(COMMIT_S, woken.set)
            await woken.wait()
            timer.cancel()
    finally:
        for end in ends:
            end()


def _open_document(traffic: TrafficLog, commits: Commits, trace: Trace) -> Entry | None:
    """The document that the main frame is on its way to, if any."""
    found = [one for one in traffic.since(trace.traffic, trace.tab.id) if one.navigation]
    if not found or found[-1].status in _NO_DOCUMENT or _is_aborted(found[-1]):
        return None
    last = found[-1]
    if not last.answered:
        return last
    waited_s = asyncio.get_running_loop().time() - last.answered_s
    is_put = commits.of(trace.tab) > trace.commits or waited_s > COMMIT_S
    return None if is_put else last


def _is_aborted(entry: Entry) -> bool:
    """Given up for a download or another way; any other failure puts an error page in place."""
    return entry.failure is not None and entry.failure.endswith("ERR_ABORTED")


def quiet_ms(trace: Trace) -> int:
    """How long the page must be quiet before it is looked at."""
    if not trace.has_reacted:
        return SILENT_MS
    return BUSY_MS if trace.requests else QUIET_MS


def abandon(task: asyncio.Future[None]) -> None:
    """Stop waiting for work that may end late or badly; what it then says is no news."""
    if not task.done():
        task.cancel()
    task.add_done_callback(lambda done: None if done.cancelled() else done.exception())
