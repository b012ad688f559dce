"""What the parts of one session (navigate, read, actions, tabs …) share, and the runner's host.

Owns the current tab and its recovery, and the way of a Result out: door, journal, delivery.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.loads import Loads
from browser_agent.browser.observer import Observer, RefTable
from browser_agent.browser.observer_types import ObserverError, ObserverLimits
from browser_agent.browser.operation import Body, Kind, Operation, Runner
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.tab import Tab, TabSet
from browser_agent.errors import ResultDeliveryError
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from playwright.async_api import BrowserContext, Page

    from browser_agent.browser.capture import CaptureStore
    from browser_agent.browser.door import Door
    from browser_agent.browser.journaling import OperationJournal
    from browser_agent.browser.pdf_text import PdfText
    from browser_agent.browser.shared import Shared
    from browser_agent.browser.taping import AskText, Tape
    from browser_agent.ports import BlobStore
    from browser_agent.records.limits import BrowserLimits
    from browser_agent.records.result import Result

T = TypeVar("T")
PATIENCE = 8.0
_OVER_S = 0.2
PROBE_S = 1.0
"""How long a page that hung before may take to say that it does not hang any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How a session is opened. ``viewport`` in CSS pixels; ``dialogs`` is dismiss, accept or ask.

    ``robots``: check robots.txt for URLs that the operator did not give.
    """

    viewport: Mapping[str, int] | None = None
    locale: str | None = None
    timezone: str | None = None
    storage_state: Mapping[str, object] | None = field(default=None, repr=False)
    http_credentials: Mapping[str, str] | None = field(default=None, repr=False)
    dialogs: str = "dismiss"
    robots: bool = False
    tape: Tape | None = field(default=None, repr=False)


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
        blobs: BlobStore | None,
        delivers: bool = True,
    ) -> None:
        self.context = context
        self.shared = shared
        self.options = options
        self.door = door
        self.captures = captures
        self.loads = Loads(context, shared.proxy)
        self.refs = RefTable()
        self.tabs = TabSet(
            max_pages=shared.limits.max_pages, loads=self.loads, observe=self._new_observer
        )
        self.is_closed = False
        self._journal = journal
        self._blobs = blobs
        self._delivers = delivers
        self._opening = 0
        self._undecided: list[Page] = []
        self._first_page: asyncio.Task[Tab] | None = None
        self._runner = Runner(self)
        self._tasks: set[asyncio.Task[object]] = set()
        context.on("page", self._on_page)

    @property
    def limits(self) -> BrowserLimits:
        """The limits of the browser."""
        return self.shared.limits

    @property
    def patience(self) -> float:
        """What settling limits are multiplied by: a recorded session and its replay wait until a
        page rests, however busy the machine is, so that both say the same.
        """
        return 1.0 if self.options.tape is None else PATIENCE

    def quiet_ms(self, usual_ms: int) -> int:
        """How long a page must be quiet to be at rest; longer where a replay has to agree."""
        tape = self.options.tape
        return usual_ms if tape is None else int(usual_ms * tape.slowness)

    async def robots_allow(self, url: str) -> bool:
        """What robots.txt says of a URL; a recorded session keeps the answer for its replay."""
        robots, tape = self.shared.robots, self.options.tape
        ask = None if robots is None else robots.allows
        if tape is not None:
            return await tape.allows(url, ask)
        return ask is None or await ask(url)

    async def document_text(self, url: str, ask: AskText) -> PdfText | None:
        """The text that ``ask`` finds; a recorded session keeps it for its replay."""
        tape = self.options.tape
        return await ask() if tape is None else await tape.document(url, ask)

    def keep_on_tape(self, url: str, path: Path) -> None:
        """A file that a page gave; a recording keeps what no response of the page holds."""
        if self.options.tape is not None:
            self.options.tape.keep_file(url, path)

    async def run(self, kind: Kind, body: Body) -> Result:
        """Run one operation; see :mod:`browser_agent.browser.operation`."""
        return await self._runner.run(kind, body)

    @property
    def runner(self) -> Runner:
        """For operations that clean up before their outcome is sealed."""
        return self._runner

    def observer(self, tab: Tab) -> Observer:
        """What looks at a tab's page. Its ObserverError ends an operation as a typed failure."""
        return tab.observer

    async def look(self, op: Operation, work: Coroutine[object, object, T]) -> T:
        """Await an observation; a page that does not answer is marked as wedged."""
        try:
            return await op.call(work)
        except (TimeoutError, asyncio.CancelledError):
            op.tab.wedged = op.tab.wedged or op.remaining_s() <= _OVER_S
            raise
        except ObserverError as error:
            op.tab.wedged = op.tab.wedged or error.code == ErrorCode.OBSERVATION_TIMEOUT
            raise

    def spawn(self, work: Coroutine[object, object, object]) -> None:
        """Run something beside the operations; it is ended at the latest when the session is."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end_task)

    def _end_task(self, task: asyncio.Task[object]) -> None:
        """What raises here has lost its page: the operation that needs it says so."""
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    async def end_tasks(self) -> None:
        """Cancel what :meth:`spawn` started, the opening of the first page too."""
        first = () if self._first_page is None else (self._first_page,)
        tasks = (*self._tasks, *first)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=1.0)

    def _new_observer(self, page: Page) -> Observer:
        limits = ObserverLimits(
            capture_bytes=self.limits.capture_bytes,
            timeout_s=self.limits.observation_timeout_s,
            frame_timeout_s=min(2.0, self.limits.observation_timeout_s / 2),
        )
        return Observer(page, refs=self.refs, limits=limits)

    def _on_page(self, page: Page) -> None:
        """A page that was opened by us or by another page; one too many is closed at once."""
        tab = self.tabs.adopt(page)
        if tab is not None:
            self.spawn(self._find_opener(tab))
        elif self._opening:
            self._undecided.append(page)  # it may be the one that we are opening
        else:
            self._refuse(page)

    def _refuse(self, page: Page) -> None:
        self.tabs.refused += 1
        self.spawn(page.close())

    async def open_page(self) -> Tab:
        """Open a page of ours, even where popups fill the session."""
        self._opening += 1
        try:
            page = await self.context.new_page()
            if self.options.tape is not None:
                await self.options.tape.watch(page)
        finally:
            self._opening -= 1
        tab = self.tabs.adopt_own(page)
        others, self._undecided = self._undecided, []
        for other in others:
            if other is not page:
                self._refuse(other)
        return tab

    async def _find_opener(self, tab: Tab) -> None:
        opener = await tab.page.opener()
        known = self.tabs.of_page(opener) if opener is not None else None
        tab.opener = known.id if known is not None else None

    def open_first_page(self) -> None:
        """Start to open the session's page; the first operation waits for it."""
        self._first_page = asyncio.create_task(self.open_page())
        self._first_page.add_done_callback(_swallow)

    async def _await_first_page(self, op: Operation) -> None:
        first = self._first_page
        if first is None:
            return
        tab = await op.call(asyncio.shield(first))
        self._first_page = None
        if self.tabs.current is None:
            self.tabs.select(tab)

    async def acquire_tab(self, op: Operation) -> Tab:
        """The current tab; where the operation starts afresh, a new one for one that is gone."""
        await self._await_first_page(op)
        tab = self.tabs.current
        if tab is not None and tab.usable and not (op.kind.fresh_page and await _hangs(op, tab)):
            return tab
        if not op.kind.fresh_page:
            fail(tab.gone if tab is not None and tab.gone else ErrorCode.PAGE_CLOSED)
        return await self.fresh_tab(op)

    async def fresh_tab(self, op: Operation) -> Tab:
        """Open a page in place of one that crashed, was closed or does not answer."""
        old = self.tabs.current
        if old is not None and not old.page.is_closed():
            old.mark_gone(ErrorCode.PAGE_CLOSED)
            self.spawn(old.page.close())
        tab = await op.call(self.open_page())
        self.tabs.select(tab)
        if old is not None:
            tab.recovered = "unresponsive" if old.wedged else str(old.gone)
        return tab

    def seal(self, op: Operation, outcome: Outcome) -> Result:
        """Make the Result of an operation: the one door."""
        return self.door.seal(op, outcome)

    def gone_code(self, op: Operation) -> ErrorCode | None:
        """Why calls of this operation fail, where the page or the browser is gone."""
        if not self.shared.is_connected():
            return ErrorCode.BROWSER_DISCONNECTED
        tab = op.held_tab
        code = op.gone or (tab.gone if tab is not None else None)
        if self.is_closed and code in (None, ErrorCode.PAGE_CLOSED):
            return ErrorCode.SESSION_CLOSED
        return code

    def note_cut(self, op: Operation) -> None:
        """A page in whose operation something hung is asked before it is used for another."""
        if op.held_tab is not None:
            op.held_tab.suspect = True

    async def begin(self, op: Operation) -> None:
        """Journal an effectful operation before it starts."""
        await self._journal.begin(op.id, op.kind.name)

    async def end(self, op: Operation, status: str) -> None:
        """Journal its end."""
        await self._journal.end(op.id, status)

    async def publish(self, op: Operation, result: Result) -> None:
        """Store blobs, then hand the Result to ``on_result``."""
        await store_blobs(self._blobs, op.blobs)
        if self._delivers:
            await deliver(self.shared, result, op.kind.name)


async def _hangs(op: Operation, tab: Tab) -> bool:
    """Whether a page cannot be used again; one in which something hung is asked."""
    if tab.wedged or not tab.suspect:
        return tab.wedged
    try:
        await op.call(tab.page.title(), within_s=PROBE_S)
    except Exception as error:
        if not (is_timeout(error) or is_playwright_error(error)):
            raise
        tab.wedged = True
    tab.suspect = False
    return tab.wedged


def _swallow(task: asyncio.Task[Tab]) -> None:
    """A page that could not be opened is reported by the operation that wanted it."""
    if not task.cancelled():
        task.exception()


async def store_blobs(store: BlobStore | None, blobs: list[bytes]) -> None:
    """Put preimages and captures into the blob store, off the event loop."""
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
    except Exception as error:
        raise ResultDeliveryError(
            f"on_result failed for {operation} with {type(error).__name__}",
            result=result,
            operation=operation,
        ) from error
