"""Playwright's driver process: started with a private folder for temporary files, and stopped.

The one place that imports Playwright. One driver serves one browser, so that whatever hangs can be
ended without touching another browser.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from browser_agent.browser.processes import Proc, find_driver
from browser_agent.errors import BrowserError

if TYPE_CHECKING:
    from playwright.async_api import Playwright

_environment = threading.Lock()
_TURNS = 3
"""Turns of the loop until Playwright has copied the environment for its process."""


@dataclass(frozen=True, slots=True)
class Driver:
    """A running driver and its process."""

    playwright: Playwright
    process: Proc


async def start_driver(folder: Path) -> Driver:
    """Start a driver whose temporary files, profiles included, go below ``folder``.

    When this is cancelled or fails the process may be left: it is a child of ours whose TMPDIR is
    ``folder``, see ``processes.find_driver``.
    """
    from playwright.async_api import async_playwright  # costs 0.2 s, so not before a launch

    manager = async_playwright()
    async with _tmpdir(folder):
        starting = asyncio.create_task(manager.start())
        for _ in range(_TURNS):
            await asyncio.sleep(0)
    try:
        playwright = await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        raise
    _take_note(manager)
    process = await asyncio.to_thread(find_driver, os.getpid(), str(folder))
    if process is None:
        raise BrowserError("the driver process of Playwright cannot be found in the process table")
    return Driver(playwright, process)


def _take_note(manager: object) -> None:
    """Read the error that a dying driver leaves: its end is seen by its process, and asyncio would
    log an error that nobody read. Playwright keeps it in a private place, which may move.
    """
    found = manager
    for name in ("_client", "_transport", "on_error_future"):
        found = getattr(found, name, None)
    if isinstance(found, asyncio.Future):
        cast("asyncio.Future[object]", found).add_done_callback(_read_error)


def _read_error(future: asyncio.Future[object]) -> None:
    if not future.cancelled():
        future.exception()


@asynccontextmanager
async def _tmpdir(folder: Path) -> AsyncGenerator[None]:
    """TMPDIR and the compile cache in our environment, for the moment of the spawn.

    The driver takes its environment from ours; one launch at a time changes it, over all threads.
    """
    while not _environment.acquire(blocking=False):  # noqa: ASYNC110 - the lock is for threads
        await asyncio.sleep(0.001)
    wanted = {"TMPDIR": str(folder), "NODE_COMPILE_CACHE": _compile_cache()}
    saved = {name: os.environ.get(name) for name in wanted}
    try:
        os.environ.update({name: value for name, value in wanted.items() if value})
        yield
    finally:
        for name, value in saved.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        _environment.release()


def _compile_cache() -> str | None:
    """A private folder in which the driver keeps its compiled code (it starts faster then)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    folder = root / "browser_agent" / "driver"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
    except OSError:
        return None
    private = facts.st_uid == os.getuid() and not facts.st_mode & 0o022
    return str(folder) if private else None
