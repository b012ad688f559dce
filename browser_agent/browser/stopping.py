"""Stopping a browser: politely within a bound, then by its processes, then verified."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from browser_agent.browser.launch import Running

_DRIVER_SHARE = 0.25
_PROXY_S = 2.0


@dataclass(frozen=True, slots=True)
class Stopped:
    """How many processes were ended, and the names of what could not be confirmed as gone."""

    processes: int
    left: list[str]


async def stop_browser(
    running: Running, *, within_s: float, unconfirmed: Sequence[str] = ()
) -> Stopped:
    """End browser, driver and proxy, remove the private folder, strike off the ledger.

    ``unconfirmed`` names sessions whose end was not seen; the end of a browser of ours is theirs.
    """
    ledger = running.ledger
    await ledger.sample()
    await bounded(running.browser.close(), within_s * (1 - _DRIVER_SHARE))
    await bounded(running.driver.playwright.stop(), within_s * _DRIVER_SHARE)
    left = await ledger.finish(unconfirmed if "browser" not in ledger.processes else ())
    if not await bounded(running.proxy.close(), _PROXY_S):
        left.append(f"port {running.proxy.port}")
    return Stopped(len(ledger.seen), left)


async def bounded(work: Coroutine[object, object, None], within_s: float) -> bool:
    """Await work, but not longer; whether it ended well. What it raises is part of an end."""
    task = asyncio.create_task(work)
    await asyncio.wait({task}, timeout=within_s)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.5)
    if not task.done():
        task.add_done_callback(_swallow)
        return False
    return not task.cancelled() and _swallow(task) is None


def _swallow(task: asyncio.Task[None]) -> BaseException | None:
    return None if task.cancelled() else task.exception()
