"""What the parts of one session (navigate, read, actions, tabs …) share, and the runner's host.

Owns the current tab and its recovery, and the way of a Result out: door, journal, delivery.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from browser_agent.browser.operation import Body, Kind, Operation, Runner
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.tab import Tab, TabSet
from browser_agent.errors import ResultDeliveryError
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.async_api import BrowserContext

    from browser_agent.browser.capture import CaptureStore
    from browser_agent.browser.door import Door
    from browser_agent.browser.journaling import OperationJournal
    from browser_agent.browser.shared import Shared
    from browser_agent.records.limits import BrowserLimits
    from browser_agent.records.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How a session is opened. Units: CSS pixels; ``dialogs`` is dismiss, accept or ask."""

    viewport: Mapping[str, int] | None = None
    locale: str | None = None
    timezone: str | None = None
    storage_state: object | None = None
    http_credentials: Mapping[str, str] | None = field(default=None, repr=False)
    dialogs: str = "dismiss"


class Core:
    """The shared inside of a session. Parts call :meth:`run` and read the attributes."""

    def __init__(
        self,
        *,
        context: BrowserContext,
        shared: Shared,
        options: SessionOptions,
        door: Door,
        captures: CaptureStore,
        journal: OperationJournal,
        delivers: bool = True,
    ) -> None:
        self.context = context
        self.shared = shared
        self.options = options
        self.door = door
        self.captures = captures
        self.tabs = TabSet(max_pages=shared.limits.max_pages)
        self.is_closed = False
        self._journal = journal
        self._delivers = delivers
        self._runner = Runner(self)

    @property
    def limits(self) -> BrowserLimits:
        """The limits of the browser."""
        return self.shared.limits

    async def run(self, kind: Kind, body: Body) -> Result:
        """Run one operation; see :mod:`browser_agent.browser.operation`."""
        return await self._runner.run(kind, body)

    async def acquire_tab(self, op: Operation) -> Tab:
        """The current tab; where the operation starts afresh, a new one for one that is gone."""
        tab = self.tabs.current
        if tab is not None and tab.usable and not (op.kind.fresh_page and tab.wedged):
            return tab
        if tab is not None and tab.gone is ErrorCode.PAGE_CLOSED and not op.kind.fresh_page:
            fail(ErrorCode.PAGE_CLOSED)
        if not op.kind.fresh_page:
            fail(tab.gone if tab is not None and tab.gone else ErrorCode.PAGE_CLOSED)
        return await self.fresh_tab(op)

    async def fresh_tab(self, op: Operation) -> Tab:
        """Open a page in place of one that crashed, was closed or does not answer."""
        old = self.tabs.current
        page = await op.call(self.context.new_page())
        tab = self.tabs.adopt(page)
        if tab is None:
            fail(ErrorCode.PAGE_CLOSED, "The session has its highest number of pages open.")
        self.tabs.select(tab)
        if old is not None:
            tab.recovered = str(old.gone or "unresponsive")
        return tab

    def seal(self, op: Operation, outcome: Outcome) -> Result:
        """Make the Result of an operation: the one door."""
        return self.door.seal(op, outcome)

    def gone_code(self, op: Operation) -> ErrorCode | None:
        """Why calls of this operation fail, where the page or the browser is gone."""
        if self.shared.disconnected:
            return ErrorCode.BROWSER_DISCONNECTED
        tab = op.held_tab
        code = op.gone or (tab.gone if tab is not None else None)
        if code is ErrorCode.PAGE_CLOSED and self.is_closed:
            return ErrorCode.SESSION_CLOSED
        return code

    async def begin(self, op: Operation) -> None:
        """Journal an effectful operation before it starts."""
        await self._journal.begin(op.id, op.kind.name)

    async def end(self, op: Operation, status: str) -> None:
        """Journal its end."""
        await self._journal.end(op.id, status)

    async def publish(self, op: Operation, result: Result) -> None:
        """Store blobs, then hand the Result to ``on_result``."""
        await store_blobs(self.shared, op.blobs)
        if self._delivers:
            await deliver(self.shared, result, op.kind.name)


async def store_blobs(shared: Shared, blobs: list[bytes]) -> None:
    """Put preimages and captures into the blob store, off the event loop."""
    store = shared.blobs
    if store is None or not blobs:
        return
    contents = tuple(blobs)
    blobs.clear()
    await asyncio.to_thread(lambda: [store.put(content) for content in contents])


async def deliver(shared: Shared, result: Result, operation: str) -> None:
    """Call ``on_result``; what it raises is wrapped with the Result. Nothing is done again."""
    if shared.on_result is None:
        return
    try:
        answer = shared.on_result(result, operation)
        if inspect.isawaitable(answer):
            await answer
    except asyncio.CancelledError:
        raise
    except Exception as error:
        raise ResultDeliveryError(
            f"on_result failed for {operation} with {type(error).__name__}",
            result=result,
            operation=operation,
        ) from error
