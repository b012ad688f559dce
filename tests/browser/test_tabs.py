"""Tabs: stable ids, popups, floods, and refs that stay with their page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


async def test_ids_are_stable_and_never_used_twice(session: Session, site: FixtureSite) -> None:
    await session.navigate(site.page("/a", "<title>A</title>"))
    opened = await session.new_tab(site.page("/b", "<title>B</title>"))
    assert opened.final_url == site.at("/b")
    rows = data_of(await session.tabs())["items"]
    assert [(row["id"], row["title"], row["current"]) for row in rows] == [
        ("t1", "A", False),
        ("t2", "B", True),
    ]
    await session.close_tab("t2")
    assert (await session.read()).final_url == site.at("/a")
    await session.new_tab()
    assert [row["id"] for row in data_of(await session.tabs())["items"]] == ["t1", "t3"]
    await session.select_tab("t1")
    assert (await session.read()).final_url == site.at("/a")
    missing = await session.select_tab("t2")
    assert missing.error_code == "not_found"
    assert "t1, t3" in (missing.error_message or "")
    with pytest.raises(InvalidInput):
        await session.select_tab(2)  # pyright: ignore[reportArgumentType] - the point of the test


async def test_a_click_lists_the_tab_it_opens(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    site.page("/new", "<title>New</title>")
    await session.navigate(
        site.page(
            "/",
            "<a href=/new target=_blank>Open</a><button onclick=\"window.open('/new')\">W</button>",
        )
    )
    for name, role in (("Open", "link"), ("W", "button")):
        clicked = await session.click(await ref(session, name, role))
        assert [row["url"] for row in data_of(clicked)["new_tabs"]] == [site.at("/new")]
        assert clicked.final_url == site.at("/")
    assert len(data_of(await session.tabs())["items"]) == 3


async def test_a_flood_of_popups_is_bounded(session: Session, site: FixtureSite) -> None:
    await session.navigate(
        site.page("/", "<p>host</p><script>for(let i=0;i<30;i++)open('about:blank')</script>")
    )
    assert "host" in data_of(await session.read())["text"]
    listed = data_of(await session.tabs())
    assert len(listed["items"]) <= session.limits.max_pages
    assert (await session.navigate(site.page("/ok", "<p>ok</p>"))).is_ok


async def test_a_caller_cannot_open_more_tabs_than_the_limit(browser: Browser) -> None:
    async with browser.session() as session:
        results = [await session.new_tab() for _ in range(session.limits.max_pages + 1)]
        assert results[0].is_ok
        assert results[-1].error_code == "too_large"


async def test_closing_the_last_tab_leaves_a_session_that_can_go_on(
    session: Session, site: FixtureSite
) -> None:
    await session.navigate(site.page("/", "<p>x</p>"))
    assert (await session.close_tab("t1")).is_ok
    assert (await session.read()).error_code == "page_closed"
    assert (await session.navigate(site.at("/"))).is_ok
