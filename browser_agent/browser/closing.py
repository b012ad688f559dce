"""Closing a session: pages and context gone, seen to be gone, said in a Result.

Owns the bounded way down: ask, then ask the browser itself, then report what is left. A browser
that does not let go is ended by its own close.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from browser_agent.browser.failures import is_playwright_error, is_timeout
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome
from browser_agent.records.codes import ErrorCode, Status

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.taping import Tape
    from browser_agent.records.result import Result

_PAGES_SHARE = 0.4
"""What of the close deadline the polite way may take before pages are closed one by one."""


class SessionCloser:
    """Closes one session once; later calls get the same Result, or look again at what was left."""

    def __init__(
        self, core: Core, *, on_closed: Callable[[], None], tape: Tape | None = None
    ) -> None:
        self._core = core
        self._on_closed = on_closed
        self._tape = tape
        self._closing: asyncio.Task[list[str]] | None = None
        self.pages = 0
        self.result: Result | None = None

    async def close(self) -> Result:
        """Close and confirm. The Result is delivered to ``on_result`` once."""
        before = self.result
        if before is not None and before.status is not Status.CLEANUP_PENDING:
            return before
        core = self._core
        kind = Kind(
            "close", core.limits.close_timeout_s, ErrorCode.CLEANUP_UNCONFIRMED, on_page=False
        )
        op = core.runner.prepare(kind)
        left = await self.end()
        if self.result is not None and self.result is not before:
            return self.result
        closed = {"pages": self.pages, "contexts": 1, "processes": 0}
        self.result = core.seal(op, closing_outcome(closed, left))
        await core.publish(op, self.result)
        return self.result

    async def end(self) -> list[str]:
        """Close without a Result; names of what is left. Safe to call again and to cancel."""
        if self._closing is None:
            self._core.is_closed = True
            self._closing = asyncio.create_task(self._end())
        left = await asyncio.shield(self._closing)
        return [] if left and self._is_gone() else left

    async def _end(self) -> list[str]:
        core = self._core
        self.pages = len(core.tabs.all)
        left: list[str] = []
        core.runner.abort()
        if self._tape is not None:
            await self._tape.finish()
        if core.shared.is_connected() and not await self._close_context():
            left.append("context")
        await core.end_tasks()
        for tab in core.tabs.all:
            tab.mark_gone(ErrorCode.PAGE_CLOSED)
            tab.observer.close()
        core.captures.clear()
        if not left:
            self._on_closed()
        return left

    def _is_gone(self) -> bool:
        """Whether the context ended after all, later than anybody waited for it."""
        browser = self._core.context.browser
        there = browser is not None and self._core.context in browser.contexts
        return not (there and self._core.shared.is_connected())

    async def _close_context(self) -> bool:
        """Whether the context is gone, within the close deadline."""
        limit_s = self._core.limits.close_timeout_s
        closing = asyncio.create_task(self._core.context.close())
        closing.add_done_callback(_swallow)
        done, _ = await asyncio.wait({closing}, timeout=limit_s * _PAGES_SHARE)
        if not done:
            pages = [asyncio.create_task(page.close()) for page in self._core.context.pages]
            for page in pages:
                page.add_done_callback(_swallow)
            await asyncio.wait({closing}, timeout=limit_s * (1 - _PAGES_SHARE))
        if not closing.done():
            closing.cancel()
            return False
        error = None if closing.cancelled() else closing.exception()
        if error is None or not self._core.shared.is_connected():
            return True
        if is_playwright_error(error) or is_timeout(error):
            return is_playwright_error(error, "TargetClosedError")
        raise error


def closing_outcome(closed: dict[str, int], left: list[str]) -> Outcome:
    """What a close says: what was closed, and what is left of it."""
    data = {"closed": closed, "left": left}
    if not left:
        return Outcome(data=data)
    return Outcome(
        status=Status.CLEANUP_PENDING,
        code=ErrorCode.CLEANUP_UNCONFIRMED,
        message=f"Not confirmed as closed: {', '.join(left)}.",
        data=data,
        coverage={"cleanup": {"confirmed": False, "left": left}},
    )


def _swallow(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
