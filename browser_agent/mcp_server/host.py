"""The one session of a client: opened by the first call, closed when idle, asked or left.

Owns the browser and its session for the life of the server. Closing never waits for a call that
is stuck: every session call has a deadline of its own.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, cast

from browser_agent.browser.browser import Browser
from browser_agent.errors import BrowserAgentError, BrowserError
from browser_agent.records.result import Result
from browser_agent.store.run_folder import BlobFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from browser_agent.mcp_server.settings import ServerSettings
    from browser_agent.ports import Session


class Host:
    """Opens and closes. ``notes`` tell the client once what happened between two calls."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._opening = asyncio.Lock()
        self._stack: AsyncExitStack | None = None
        self._browser: Browser | None = None
        self._session: Session | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._busy = 0
        self._endings: set[asyncio.Task[Result]] = set()
        self.notes: list[str] = []
        self.blobs = BlobFolder(settings.folder / "blobs")

    async def session(self) -> Session:
        """The open session; a new one where there is none or its browser is gone.

        Raises BrowserError when the browser cannot be started or too many sessions still close.
        """
        async with self._opening:
            if self._session is not None and self._is_alive():
                return self._session
            if self._session is not None:
                self.notes.append("the browser was gone; this is a new session with a blank page")
                await self._end()
            if len(self._endings) >= self._settings.max_sessions:
                await asyncio.wait(self._endings, return_when=asyncio.FIRST_COMPLETED)
            self._session = await self._open()
            return self._session

    @property
    def current(self) -> Session | None:
        """The open session, if there is one; opens nothing."""
        return self._session

    def _is_alive(self) -> bool:
        return self._browser is not None and self._browser.is_connected

    async def _open(self) -> Session:
        stack = AsyncExitStack()
        try:
            launch = cast("Callable[..., AbstractAsyncContextManager[Browser]]", Browser.launch)
            opened = launch(**self._settings.launch, run_dir=self._settings.folder)
            self._browser = browser = await stack.enter_async_context(opened)
            options = {**self._settings.session, "blobs": self.blobs}
            session = await stack.enter_async_context(browser.session(**options))
        except BaseException:
            self._browser = None
            await stack.aclose()
            raise
        self._stack = stack
        return cast("Session", session)

    def enter(self) -> None:
        """A call begins: the session is not idle."""
        self._busy += 1
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def leave(self) -> None:
        """A call ended; the idle clock starts when none is under way."""
        self._busy -= 1
        if self._busy == 0 and self._session is not None:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._settings.idle_s, self._expire)

    def _expire(self) -> None:
        self.notes.append("the session was closed after being idle; this is a new one")
        task = asyncio.ensure_future(self.close())
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    async def close(self) -> Result:
        """Close session and browser, and say whether that was confirmed. Safe to call again."""
        async with self._opening:
            return await self._end()

    async def _end(self) -> Result:
        session, browser, stack = self._session, self._browser, self._stack
        self._session = self._browser = self._stack = None
        if session is None or stack is None:
            return Result.ok(data={"closed": {"pages": 0, "contexts": 0, "processes": 0}})
        closed = await session.close()
        try:
            await stack.aclose()
        except BrowserAgentError as exc:
            return Result.failure(
                "cleanup_pending", code="cleanup_unconfirmed", message=exc.message
            )
        final = None if browser is None else browser.closing
        return closed if final is None or final.is_ok else final


def launch_failure(error: BrowserError) -> Result:
    """What the client is told when there is no browser."""
    return Result.failure(
        "error", code="browser_launch_failed", message=error.message, hint=error.hint
    )
