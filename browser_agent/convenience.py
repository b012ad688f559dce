"""Three one-liners for scripts and notebooks. Everything else is async."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from browser_agent.browser.browser import Browser
from browser_agent.errors import ConfigurationError
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.robot.robot import Robot

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from browser_agent.records.result import Result
    from browser_agent.records.run import RobotResult

T = TypeVar("T")


def run_sync(
    task: str, *, start: Sequence[str] = (), model: Any = None, **browser: Any
) -> RobotResult:
    """Launch a browser, run one robot on ``task``, close, and give its RobotResult.

    ``browser`` keywords go to :meth:`Browser.launch`. ``model`` defaults to the built-in one.
    """

    async def go() -> RobotResult:
        async with Browser.launch(**_options(browser)) as opened:
            robot = Robot("robot", model=model or "extractive", browser=opened)
            return await robot.run(task, start=list(start))

    return _run(go())


def read_sync(url: str, *, format: str = "markdown", **browser: Any) -> Result:
    """Read one page whose URL the caller gives: its own origin is admitted."""

    async def go() -> Result:
        async with Browser.launch(**_options(browser)) as opened:
            opened.admit(url)
            return await opened.read(url, format=format)

    return _run(go())


def extract_sync(url: str, schema: object, *, model: Any = None, **browser: Any) -> Result:
    """Extract data that fits ``schema`` from one page whose URL the caller gives."""

    async def go() -> Result:
        async with Browser.launch(**_options(browser)) as opened:
            opened.admit(url)
            return await opened.extract(url, schema=schema, model=model)

    return _run(go())


def _options(given: dict[str, Any]) -> dict[str, Any]:
    return {"policy": UrlPolicy.public_web(), **given}


def _run(work: Coroutine[object, object, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ConfigurationError("an event loop runs already: use the async API here")
