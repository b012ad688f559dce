"""Closing is confirmed and said; Results are delivered once; nothing works afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

import psutil
import pytest

from browser_agent import Browser, BrowserError, Result, ResultDeliveryError, Session, UrlPolicy
from browser_agent.browser.browser import Browser as Concrete
from browser_agent.browser.processes import OWNER_SWITCH
from browser_agent.records.codes import Status
from browser_agent.store.journal import SqliteJournal
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio


def owned(browser: Concrete) -> dict[str, psutil.Process]:
    """The driver and browser processes of a browser, by role."""
    ledger = browser._running.ledger
    return {role: psutil.Process(proc.pid) for role, proc in ledger.processes.items()}


async def test_close_says_what_it_closed_and_says_it_again(
    browser: Browser, site: FixtureSite
) -> None:
    async with browser.session() as session:
        await session.navigate(site.page("/a", "<p>a"))
        await session.new_tab(site.at("/a"))
        assert session.closing is None
        closing = await session.close()
    assert closing.status is Status.OK
    assert closing.to_dict()["data"] == {
        "closed": {"pages": 2, "contexts": 1, "processes": 0},
        "left": [],
    }
    assert session.closing is closing
    assert await session.close() is closing


async def test_every_operation_after_close_is_session_closed(browser: Browser) -> None:
    async with browser.session() as session:
        await session.close()
        results = [
            await session.navigate("http://127.0.0.1:1/"),
            await session.back(),
            await session.read(),
            await session.snapshot(),
            await session.find("x"),
            await session.click("e1"),
            await session.fill("e1", "x"),
            await session.tabs(),
            await session.new_tab(),
            await session.screenshot(),
            await session.console(),
            await session.wait_for(text="x"),
            await session.dialogs(),
        ]
    assert {(result.status, result.error_code) for result in results} == {
        (Status.ERROR, "session_closed")
    }


async def test_close_ends_an_operation_in_flight(browser: Browser, silent_url: str) -> None:
    async with browser.session() as session:
        going = asyncio.create_task(session.navigate(silent_url))
        await asyncio.wait({going}, timeout=1.0)
        closing = await session.close()
        result = await going
    assert closing.is_complete
    assert result.status is Status.ERROR
    assert result.error_code == "session_closed"


async def test_cancelled_operation_propagates_and_the_session_goes_on(
    browser: Browser, silent_url: str, site: FixtureSite
) -> None:
    async with browser.session() as session:
        going = asyncio.create_task(session.navigate(silent_url))
        await asyncio.wait({going}, timeout=1.0)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        assert (await session.navigate(site.page("/ok", "<p>ok"))).is_ok


async def test_cancelled_block_still_closes(browser: Browser, silent_url: str) -> None:
    opened: list[Session] = []

    async def work() -> None:
        async with browser.session() as session:
            opened.append(session)
            await session.navigate(silent_url)

    task = asyncio.create_task(work())
    async with asyncio.timeout(60):
        while not opened:
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert opened[0].closing is not None
    assert opened[0].closing.is_complete


async def test_results_are_delivered_once_in_order_with_their_names(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    seen: list[tuple[str, Result]] = []

    async def note(result: Result, operation: str) -> None:
        seen.append((operation, result))

    url = site.page("/a", "<p>a")
    async with Browser.launch(local_web, on_result=note) as browser:
        async with browser.session() as session:
            first = await session.navigate(url)
            await session.read()
        one = await browser.read(url)
    assert [name for name, _ in seen] == ["navigate", "read", "close", "read", "close_browser"]
    assert seen[0][1] is first
    assert seen[3][1] is one
    closing = cast("Mapping[str, object]", seen[4][1].to_dict()["data"])
    assert closing["left"] == []


async def test_failing_callback_keeps_the_result_and_repeats_no_work(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    def fail(_: Result, operation: str) -> None:
        if operation == "navigate":
            raise KeyError("disk full")

    url = site.page("/a", "<p>a")
    async with Browser.launch(local_web, on_result=fail) as browser, browser.session() as session:
        with pytest.raises(ResultDeliveryError) as caught:
            await session.navigate(url)
        assert (await session.read()).is_ok
    assert isinstance(caught.value.result, Result)
    assert caught.value.result.is_ok
    assert caught.value.operation == "navigate"
    assert isinstance(caught.value.__cause__, KeyError)
    assert site.count("/a") == 1


async def test_killed_browser_is_typed_and_its_end_is_still_verified(
    site: FixtureSite, local_web: UrlPolicy, own_journal: SqliteJournal
) -> None:
    async with Browser.launch(local_web) as browser:
        async with browser.session() as session:
            await session.navigate(site.page("/a", "<p>a"))
            owned(browser)["browser"].kill()
            results = [await session.read(), await session.navigate(site.at("/a"))]
            closing = await session.close()
        once = await browser.read(site.at("/a"))
    for result in (*results, once):
        assert (result.status, result.error_code) == (Status.ERROR, "browser_disconnected")
    assert closing.is_complete
    assert browser.closing is not None
    assert browser.closing.is_complete
    assert own_journal.owners() == []


async def test_a_closed_browser_says_closed_and_what_it_closed(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    url = site.page("/a", "<p>a")
    async with Browser.launch(local_web) as browser:
        session = await browser.session().__aenter__()
        await session.navigate(url)
        await session.new_tab(url)
    assert browser.closing is not None
    closed = cast("dict[str, dict[str, int]]", browser.closing.to_dict()["data"])["closed"]
    assert (closed["pages"], closed["contexts"]) == (2, 1)
    assert closed["processes"] > 0
    for result in (await browser.read(url), await browser.extract(url, {}), await session.read()):
        assert (result.status, result.error_code) == (Status.ERROR, "session_closed")
    with pytest.raises(BrowserError) as caught:
        await browser.session().__aenter__()
    assert caught.value.code == "session_closed"


async def test_token_is_on_the_browsers_command_line_only(local_web: UrlPolicy) -> None:
    async with Browser.launch(local_web) as browser:
        main = owned(browser)["browser"]
        marked = [
            process
            for process in (main, *main.children(recursive=True))
            if any(word.startswith(OWNER_SWITCH) for word in process.cmdline())
        ]
        assert marked == [main]
