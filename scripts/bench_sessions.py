"""Measures what one wedged session costs the other 15 of its browser.

Three rounds in turn: all 16 well; the last one with a page that spins; the last one with a renderer
that is stopped and so answers nothing. Timed is the same work of the first 15, all at once.
"""

from __future__ import annotations

import asyncio
import signal
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import psutil

from browser_agent import Browser, Result, UrlPolicy
from browser_agent.browser.session import Session
from browser_agent.testing.site import FixtureSite

SESSIONS = 16
TURNS = 4
PAGE = """<title>Work</title><h1>Counter</h1><p id=o>0</p>
<button onclick="o.textContent = +o.textContent + 1">Add</button>
<button onclick="setTimeout(() => { for (;;); })">Spin</button>"""
Wedge = Callable[[Browser, Session], Awaitable[list[int]]]


async def ref_of(session: Session, name: str) -> str:
    found = await session.find(name, role="button")
    data = found.to_dict()["data"]
    return str(data["matches"][0]["ref"])  # type: ignore[index]


async def work(session: Session, url: str) -> list[Result]:
    """Navigate, then click and read a few times."""
    results = [await session.navigate(url)]
    add = await ref_of(session, "Add")
    for _ in range(TURNS):
        results += [await session.click(add), await session.read()]
    return results


async def leave_well(_browser: Browser, _session: Session) -> list[int]:
    return []


async def spin(_browser: Browser, session: Session) -> list[int]:
    await session.click(await ref_of(session, "Spin"))
    return []


async def silence(browser: Browser, session: Session) -> list[int]:
    """Stop the renderer that works when the session's page does; gives its pid."""
    main = psutil.Process(browser._running.ledger.processes["browser"].pid)
    before = _times(main)
    tab = session._core.tabs.current
    assert tab is not None
    await tab.page.evaluate("() => { const end = Date.now() + 400; while (Date.now() < end); }")
    after = _times(main)
    pid = max(after, key=lambda one: after[one] - before.get(one, 0.0))
    psutil.Process(pid).send_signal(signal.SIGSTOP)
    return [pid]


def _times(main: psutil.Process) -> dict[int, float]:
    found: dict[int, float] = {}
    for process in main.children(recursive=True):
        try:
            if "--type=renderer" in process.cmdline():
                found[process.pid] = process.cpu_times().user
        except psutil.NoSuchProcess:
            continue
    return found


@asynccontextmanager
async def sixteen(browser: Browser, url: str) -> AsyncGenerator[list[Session]]:
    sessions = [await browser.session().__aenter__() for _ in range(SESSIONS)]
    try:
        for session in sessions:
            await session.navigate(url)
        yield sessions
    finally:
        await asyncio.gather(*(session.close() for session in sessions))


async def once(browser: Browser, url: str, wedge: Wedge) -> tuple[float, int]:
    """Seconds that the 15 took together, and how many of their calls were not ok."""
    async with sixteen(browser, url) as sessions:
        stopped = await wedge(browser, sessions[-1])
        begun = time.perf_counter()
        done = await asyncio.gather(*(work(session, url) for session in sessions[:-1]))
        taken = time.perf_counter() - begun
        for pid in stopped:
            psutil.Process(pid).send_signal(signal.SIGCONT)
    return taken, sum(not result.is_complete for results in done for result in results)


async def measure(rounds: int) -> dict[str, object]:
    wedges: dict[str, Wedge] = {"well": leave_well, "spinning": spin, "silent": silence}
    taken: dict[str, list[float]] = {name: [] for name in wedges}
    failed = dict.fromkeys(wedges, 0)
    async with FixtureSite.serve() as site:
        url = site.page("/", PAGE)
        policy = UrlPolicy.public_web(allow_local=[site.url])
        for turn in range(rounds + 1):
            for name, wedge in wedges.items():
                async with Browser.launch(policy=policy, robots=False) as browser:
                    seconds, bad = await once(browser, url, wedge)
                if turn:
                    taken[name].append(seconds)
                    failed[name] += bad
    times = {name: statistics.median(values) for name, values in taken.items()}
    return {
        "well_s": round(times["well"], 2),
        "spinning_ratio": round(times["spinning"] / times["well"], 2),
        "silent_ratio": round(times["silent"] / times["well"], 2),
        "calls_not_ok": failed,
    }


def main(rounds: int) -> dict[str, object]:
    """The measurement; at most three rounds, as each takes a while."""
    return asyncio.run(measure(min(rounds, 3)))
