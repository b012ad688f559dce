"""The journal as the browser layer uses it: off the event loop, in order, one thread.

Owns the thread. What is begun is durable when ``begin`` returns; ends are queued behind it.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from browser_agent.ports import Journal

_logger = logging.getLogger("browser_agent.journal")


class OperationJournal:
    """Writes of one owner (``token``) to the shared journal."""

    def __init__(self, journal: Journal, token: str) -> None:
        self._journal = journal
        self.token = token
        self._aside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="browser-agent-reaper")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="browser-agent-journal")

    async def _do(self, write: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, write)

    def beside(self, work: Callable[[], None]) -> None:
        """Do something else with the journal in a thread of its own; a failure is only logged."""
        future = self._aside.submit(work)
        future.add_done_callback(_log_failure)

    async def open(self, facts: Mapping[str, object]) -> None:
        """Record this owner before it starts anything."""
        await self._do(lambda: self._journal.open_owner(self.token, facts))

    async def add(self, kind: str, name: str, facts: Mapping[str, object]) -> None:
        """Record a resource of this owner."""
        await self._do(lambda: self._journal.add_resource(self.token, kind, name, facts))

    async def strike(self, kind: str, name: str) -> None:
        """Strike off a resource that is verified gone."""
        await self._do(lambda: self._journal.strike_resource(self.token, kind, name))

    async def begin(self, operation_id: str, name: str) -> None:
        """Record an operation as in flight."""
        await self._do(lambda: self._journal.begin_operation(self.token, operation_id, name))

    async def end(self, operation_id: str, status: str) -> None:
        """Record how an operation ended."""
        await self._do(lambda: self._journal.end_operation(operation_id, status))

    async def close(self, *, clean: bool) -> None:
        """Strike off the owner when everything of it is gone, and end the thread."""
        if clean:
            await self._do(lambda: self._journal.close_owner(self.token))
        self._thread.shutdown(wait=False)
        await asyncio.to_thread(self._aside.shutdown)


def _log_failure(future: Future[None]) -> None:
    error = future.exception()
    if error is not None:
        _logger.warning("work beside the journal failed: %s", type(error).__name__)
