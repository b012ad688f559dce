"""What dies is typed; the session goes on with a fresh page and says so; others live on."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable
from typing import cast

import psutil
import pytest

from browser_agent import Browser, BrowserError, Result, UrlPolicy
from browser_agent.browser.session import Session
from browser_agent.records.codes import Effect, Status
from browser_agent.store.journal import SqliteJournal
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
HANG_S = 60.0


def process_of(browser: Browser, role: str) -> psutil.Process:
    return psutil.Process(browser._running.ledger.processes[role].pid)


def renderers(browser: Browser) -> dict[int, psutil.Process]:
    """The browser's renderer processes by pid."""
    found: dict[int, psutil.Process] = {}
    for process in process_of(browser, "browser").children(recursive=True):
        try:
            if "--type=renderer" in process.cmdline():
                found[process.pid] = process
        except psutil.NoSuchProcess:
            continue
    return found


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANG_S):
        while not is_so():
            await asyncio.sleep(0.02)


def is_gone(session: Session) -> bool:
    tab = session._core.tabs.current
    return tab is not None and tab.gone is not None


def data_of(result: Result) -> dict[str, object]:
    return cast("dict[str, object]", result.to_dict()["data"])


async def crash_page_of(session: Session, browser: Browser) -> None:
    """SIGSEGV for the renderer of the session's page: the one that works when the page does."""
    tab = session._core.tabs.current
    assert tab is not None
    before = {pid: one.cpu_times().user for pid, one in renderers(browser).items()}
    await tab.page.evaluate("() => { const end = Date.now() + 400; while (Date.now() < end); }")
    worked: dict[int, float] = {
        pid: one.cpu_times().user - before.get(pid, 0.0) for pid, one in renderers(browser).items()
    }
    psutil.Process(max(worked, key=lambda pid: worked[pid])).send_signal(signal.SIGSEGV)
    await until(lambda: is_gone(session))


async def test_renderer_that_is_killed_is_typed_and_the_session_goes_on_with_a_fresh_page(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    first, second = site.page("/first", "<p>first"), site.page("/second", "<p>second")
    async with (
        Browser.launch(local_web, robots=False) as browser,
        browser.session() as session,
        browser.session() as other,
    ):
        await other.navigate(second)
        await session.navigate(first)
        await crash_page_of(session, browser)
        results = [
            await session.read(),
            await session.snapshot(),
            await session.click("e1"),
            await session.screenshot(),
            await session.back(),
        ]
        assert {(one.status, one.error_code) for one in results} == {(Status.ERROR, "page_crashed")}
        assert results[2].effect is Effect.NOT_DISPATCHED
        assert "second" in str(data_of(await other.read())["text"])
        again = await session.navigate(first)
        assert again.is_complete
        assert again.coverage is not None
        assert again.coverage["recovered"] == "page_crashed"
        following = await session.read()
        assert "first" in str(data_of(following)["text"])
        assert "recovered" not in (following.coverage or {})
        closing = await session.close()
    assert closing.is_complete


async def test_a_driver_that_dies_leaves_no_error_that_nobody_reads(local_web: UrlPolicy) -> None:
    told: list[dict[str, object]] = []
    loop = asyncio.get_running_loop()
    usual = loop.get_exception_handler()

    async def lose() -> None:
        async with Browser.launch(local_web, robots=False) as browser, browser.session() as session:
            process_of(browser, "driver").kill()
            assert not (await session.read()).is_complete

    loop.set_exception_handler(lambda _, context: told.append(context))
    try:
        await lose()
        gc.collect()
    finally:
        loop.set_exception_handler(usual)
    assert told == []


async def test_page_that_asks_for_a_crash_is_typed_while_it_is_looked_at(
    browser: Browser, site: FixtureSite
) -> None:
    """The crash comes in the middle of an operation that waits for the page."""
    async with browser.session() as session:
        await session.navigate(site.page("/first", "<p>first"))
        waiting = asyncio.create_task(session.wait_for(text="never"))
        await asyncio.wait({waiting}, timeout=0.3)
        tab = session._core.tabs.current
        assert tab is not None
        crashing = asyncio.ensure_future(tab.page.goto("chrome://crash"))
        async with asyncio.timeout(HANG_S):
            waited = await waiting
        await asyncio.gather(crashing, return_exceptions=True)
        assert (waited.status, waited.error_code) == (Status.ERROR, "page_crashed")
        assert (await session.navigate(site.at("/first"))).is_complete


@pytest.mark.parametrize("role", ["browser", "driver"])
async def test_process_that_is_killed_is_typed_in_every_session_and_cleaned_up(
    browser: Browser,
    site: FixtureSite,
    local_web: UrlPolicy,
    own_journal: SqliteJournal,
    role: str,
) -> None:
    url, silent = site.page("/a", "<p>a"), asyncio.Event()

    @site.route("/held")
    async def _held(_: Request) -> Response:
        await silent.wait()
        return Response(200)

    async with Browser.launch(local_web, robots=False) as dying:
        async with dying.session() as one, dying.session() as two:
            await one.navigate(url)
            going = asyncio.create_task(two.navigate(site.at("/held")))
            await site.wait_for("/held")
            process_of(dying, role).kill()
            async with asyncio.timeout(HANG_S):
                results = [await going, await one.read(), await one.navigate(url)]
            with pytest.raises(BrowserError) as caught:
                await dying.session().__aenter__()
        results.append(await dying.read(url))
        assert (await browser.read(url)).is_complete
    silent.set()
    assert {one.error_code for one in results} == {"browser_disconnected"}
    assert {one.status for one in results} == {Status.ERROR}
    assert caught.value.code == "browser_disconnected"
    assert dying.closing is not None
    assert dying.closing.is_complete
    assert own_journal.owners() == []


async def test_browser_that_dies_after_the_input_makes_it_unknown(
    site: FixtureSite, local_web: UrlPolicy, own_journal: SqliteJournal
) -> None:
    held = asyncio.Event()

    @site.route("/order")
    async def _order(_: Request) -> Response:
        await held.wait()
        return Response(200)

    page = "<title>Shop</title><form method=post action=/order><button>Order</button></form>"
    async with Browser.launch(local_web, robots=False) as browser, browser.session() as session:
        await session.navigate(site.page("/", page))
        found = cast("list[dict[str, str]]", data_of(await session.find("Order"))["matches"])
        clicking = asyncio.create_task(session.click(found[0]["ref"]))
        await site.wait_for("/order", method="POST")
        process_of(browser, "browser").kill()
        async with asyncio.timeout(HANG_S):
            clicked = await clicking
            verified = await session.verify(clicked)
    held.set()
    assert (clicked.status, clicked.error_code) == (Status.UNKNOWN, "browser_disconnected")
    assert clicked.effect in (Effect.DISPATCHED, Effect.ACKNOWLEDGED)
    assert verified.status is not Status.OK
    assert site.count("/order", method="POST") == 1
    noted = [operation["id"] for operation in own_journal.unknown_operations()]
    assert noted == [clicked.operation_id]
