"""Going somewhere: navigate, back, forward, reload. Policy first, then the browser, then the look.

Owns what such a Result says: redirects, HTTP status, content type, whether the page settled and
what stands in the way. An error page of the browser or a refusal of our proxy is never content.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NoReturn

from browser_agent.browser.arrival import Arrival, refuse
from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.net_errors import LoadFailure, failure_of, name_of
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import fail
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import Response

    from browser_agent.browser.core import Core
    from browser_agent.browser.dialogs import Dialogs
    from browser_agent.browser.downloads import Downloads
    from browser_agent.browser.operation import Body, Operation
    from browser_agent.browser.outcome import Outcome
    from browser_agent.records.result import Result

_Go = Callable[[float], Awaitable["Response | None"]]
_NO_CONTENT = (204, 205)
_INTERRUPTED = "interrupted by another navigation"
_DOWNLOAD = "Download is starting"


class Navigator:
    """The navigations of one session."""

    def __init__(self, core: Core, dialogs: Dialogs, downloads: Downloads) -> None:
        self._core = core
        self._dialogs = dialogs
        self._downloads = downloads
        self._arrival = Arrival(core, downloads)

    async def navigate(self, url: str) -> Result:
        """Go to ``url``; see :meth:`Session.navigate`."""
        if not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput(f"url must be a string, got {type(url).__name__}")

        return await self._run("navigate", lambda op: self.go(op, url), fresh_page=True)

    async def go(self, op: Operation, url: str) -> Outcome:
        """The navigation itself, inside a running operation."""
        target = await self._admitted(op, url)
        page = op.tab.page
        return await self._load(
            op,
            lambda ms: page.goto(target, wait_until="domcontentloaded", timeout=ms),
            target=target,
        )

    async def back(self) -> Result:
        """One entry back."""

        async def act(op: Operation) -> Outcome:
            page = op.tab.page
            return await self._step(
                op, lambda ms: page.go_back(wait_until="domcontentloaded", timeout=ms), "earlier"
            )

        return await self._run("back", act)

    async def forward(self) -> Result:
        """One entry forward."""

        async def act(op: Operation) -> Outcome:
            page = op.tab.page
            return await self._step(
                op, lambda ms: page.go_forward(wait_until="domcontentloaded", timeout=ms), "later"
            )

        return await self._run("forward", act)

    async def reload(self) -> Result:
        """The same page again."""

        async def act(op: Operation) -> Outcome:
            page = op.tab.page
            return await self._load(
                op, lambda ms: page.reload(wait_until="domcontentloaded", timeout=ms)
            )

        return await self._run("reload", act)

    async def _run(self, name: str, body: Body, *, fresh_page: bool = False) -> Result:
        kind = Kind(
            name,
            self._core.limits.navigation_timeout_s,
            ErrorCode.NAVIGATION_TIMEOUT,
            effectful=True,
            fresh_page=fresh_page,
        )
        return await self._core.run(kind, body)

    async def _admitted(self, op: Operation, url: str) -> str:
        """The canonical URL, or the end of the operation with the policy's reason."""
        shared = self._core.shared
        decision = shared.policy.decide(url)
        if not decision.allowed:
            refuse(decision.code, decision.reason)
        outgoing = shared.outgoing.check(decision.url)
        if not outgoing.allowed:
            refuse(outgoing.code, outgoing.reason)
        asked = self._core.options.robots and decision.url not in shared.admitted
        if asked and not await op.call(self._core.robots_allow(decision.url)):
            fail(ErrorCode.ROBOTS_DENIED)
        return decision.url

    async def _step(self, op: Operation, go: _Go, word: str) -> Outcome:
        moved = asyncio.Event()
        page = op.tab.page

        def note(frame: object) -> None:
            if frame == page.main_frame:
                moved.set()

        page.on("framenavigated", note)
        try:
            return await self._load(op, go, moved=moved, word=word)
        finally:
            page.remove_listener("framenavigated", note)

    async def _load(
        self,
        op: Operation,
        go: _Go,
        *,
        target: str | None = None,
        moved: asyncio.Event | None = None,
        word: str = "",
    ) -> Outcome:
        tab = op.tab
        mark, files = self._core.shared.proxy.mark(), self._downloads.count
        tab.document = None
        partial = False
        if target is not None:
            self._core.loads.forget(tab.page)
        try:
            response = await self._until_dialog(op, go(op.remaining_ms(keep_s=self._keep_s())))
        except Exception as error:
            if not (is_playwright_error(error) or is_timeout(error)):
                raise
            partial = await self._after_error(op, error, mark=mark, files=files)
        else:
            if response is None and moved is not None and not moved.is_set() and not tab.dialog:
                fail(ErrorCode.NOT_FOUND, f"The tab's history has no {word} page.")
        op.gathered.update(self._arrival.facts(tab))
        return await self._arrival.describe(op, partial=partial)

    def _keep_s(self) -> float:
        """What the load leaves of the deadline for looking at what came."""
        limits = self._core.limits
        return min(limits.observation_timeout_s, limits.navigation_timeout_s * 0.3)

    async def _until_dialog(
        self, op: Operation, going: Awaitable[Response | None]
    ) -> Response | None:
        """Await a load, but not beyond a dialog that waits for an answer."""
        if self._core.options.dialogs != "ask":
            return await op.call(going)
        load = asyncio.ensure_future(going)
        asked = asyncio.ensure_future(self._dialogs.wait_pending(op.tab))
        try:
            await op.call(asyncio.wait({load, asked}, return_when=asyncio.FIRST_COMPLETED))
            return load.result() if load.done() else None
        finally:
            load.cancel()
            asked.cancel()

    async def _after_error(self, op: Operation, error: Exception, *, mark: int, files: int) -> bool:
        """True: look at what is there, as a part. Otherwise the operation ends typed."""
        tab, text = op.tab, str(error)
        status = tab.load.status if tab.load is not None else None
        if tab.gone is not None or is_playwright_error(error, "TargetClosedError"):
            raise error
        if is_timeout(error):
            self._check_began(op, mark)
            return True
        if _INTERRUPTED in text:
            await self._settle_elsewhere(op)
            return False
        if _DOWNLOAD in text or self._downloads.count > files:
            await self._arrival.download(op, files)
        if status in _NO_CONTENT:
            message = f"The server sent no page ({status})."
            self._fail_load(op, LoadFailure(ErrorCode.NAVIGATION_FAILED, message), mark)
        if name_of(text) is None:
            raise error
        if status is None or status < 400:
            self._fail_load(op, failure_of(text), mark)
        return False

    def _check_began(self, op: Operation, mark: int) -> None:
        """A load that timed out before the server answered leaves nothing to look at."""
        load = op.tab.load
        if load is None or load.status is None:
            op.tab.wedged = True
            self._fail_load(op, LoadFailure(ErrorCode.NAVIGATION_TIMEOUT), mark)

    async def _settle_elsewhere(self, op: Operation) -> None:
        """The page went on by itself before it was loaded: wait for where it goes."""
        ms = op.remaining_ms(keep_s=self._keep_s())
        try:
            await op.call(op.tab.page.wait_for_load_state("domcontentloaded", timeout=ms))
        except Exception as error:
            if not is_timeout(error):
                raise

    def _fail_load(self, op: Operation, failure: LoadFailure, mark: int) -> NoReturn:
        """End a load that gave no document; the proxy's decision is the better reason."""
        load = op.tab.load
        known = self._arrival.facts(op.tab)
        decision = self._core.shared.proxy.last_decision(load.url, since=mark) if load else None
        if load is not None and decision is not None and decision.code is not None:
            load.refusal = decision
            refuse(decision.code, decision.reason, known)
        fail(failure.code, failure.message, data=known)
