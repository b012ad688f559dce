"""Dialogs: answered by policy or by the caller, recorded, and never in anybody's way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

ASKING = """<title>x</title><button onclick="document.title = confirm('Delete it?')">Delete</button>
<button onclick="document.title = prompt('Name?', 'Ada')">Name</button>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


async def title_of(session: Session) -> str:
    """The title of the current page."""
    rows = data_of(await session.tabs())["items"]
    return next(row["title"] for row in rows if row["current"])


@pytest.mark.parametrize(
    ("policy", "confirmed", "named"), [("dismiss", "false", "null"), ("accept", "true", "Ada")]
)
async def test_a_policy_answers_and_the_action_says_so(
    browser: Browser, site: FixtureSite, ref: Finder, policy: str, confirmed: str, named: str
) -> None:
    async with browser.session(dialogs=policy) as session:
        await session.navigate(site.page("/", ASKING))
        clicked = await session.click(await ref(session, "Delete", "button"))
        assert clicked.is_ok
        assert data_of(clicked)["dialog"]["message"] == "Delete it?"
        assert data_of(clicked)["dialog"]["answer"] == policy.removesuffix("ed") + "ed"
        assert await title_of(session) == confirmed
        await session.click(await ref(session, "Name", "button"))
        assert await title_of(session) == named
        kinds = [row["kind"] for row in data_of(await session.dialogs())["items"]]
        assert kinds == ["confirm", "prompt"]


async def test_an_asked_dialog_stays_open_until_it_is_answered(
    browser: Browser, site: FixtureSite, ref: Finder
) -> None:
    async with browser.session(dialogs="ask") as session:
        await session.navigate(site.page("/", ASKING))
        name, delete = await ref(session, "Name", "button"), await ref(session, "Delete", "button")
        clicked = await session.click(name)
        assert clicked.is_ok
        assert data_of(clicked)["dialog"]["answer"] == "pending"
        assert (await session.click(delete)).error_code == "dialog_open"
        assert (await session.read()).error_code == "dialog_open"
        answered = await session.answer_dialog(accept=True, text="Grace")
        assert answered.is_ok
        assert await title_of(session) == "Grace"
        assert (await session.answer_dialog(accept=True)).error_code == "not_found"


async def test_an_asked_dialog_is_dismissed_at_the_deadline(
    hasty_browser: Browser, site: FixtureSite, ref: Finder
) -> None:
    async with hasty_browser.session(dialogs="ask") as session:
        await session.navigate(site.page("/", ASKING))
        await session.click(await ref(session, "Delete", "button"))
        async with asyncio.timeout(10):
            while (await session.wait_for(text="Delete")).error_code == "dialog_open":
                await asyncio.sleep(0.05)
        assert await title_of(session) == "false"


async def test_an_alert_while_loading_does_not_block_the_navigation(
    browser: Browser, site: FixtureSite
) -> None:
    """T-G2: navigate returns promptly, with the dialog pending where it is to be asked for."""
    url = site.page("/", "<p>before</p><script>alert('hello')</script><p>after</p>")
    async with browser.session(dialogs="ask") as session:
        began = asyncio.get_running_loop().time()
        gone = await session.navigate(url)
        assert asyncio.get_running_loop().time() - began < session.limits.navigation_timeout_s / 2
        assert data_of(gone)["dialog"]["message"] == "hello"
        await session.answer_dialog(accept=True)
        assert "after" in data_of(await session.read())["text"]
    async with browser.session() as session:
        assert (await session.navigate(url)).is_ok
        assert data_of(await session.dialogs())["items"][0]["answer"] == "dismissed"


async def test_beforeunload_blocks_neither_navigation_nor_close(
    browser: Browser, site: FixtureSite, ref: Finder
) -> None:
    stay = "addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='stay'})"
    site.page("/next", "<p>next</p>")
    for policy in ("dismiss", "ask"):
        async with browser.session(dialogs=policy) as session:
            await session.navigate(site.page("/", f"<button>b</button><script>{stay}</script>"))
            await session.click(await ref(session, "b", "button"))
            assert (await session.navigate(site.at("/next"))).is_ok
            await session.navigate(site.at("/"))
            await session.click(await ref(session, "b", "button"))
        assert session.closing is not None
        assert session.closing.is_ok


async def test_alerts_without_end_cost_neither_the_session_nor_the_close(
    hasty_browser: Browser, site: FixtureSite
) -> None:
    url = site.page("/", "<p>x</p><script>setTimeout(()=>{while(true)alert('x')},50)</script>")
    async with hasty_browser.session() as session:
        await session.navigate(url)
        await session.read()
        record = data_of(await session.dialogs())
        assert len(record["items"]) <= session.limits.max_dialogs
        assert (await session.navigate(site.page("/ok", "<p>ok</p>"))).is_ok
        assert data_of(await session.read())["text"].strip() == "ok"
    assert session.closing is not None
    assert session.closing.is_ok


async def test_a_long_message_is_cut_and_a_flood_is_counted(
    browser: Browser, site: FixtureSite
) -> None:
    html = "<script>alert('a'.repeat(100000));for(let i=0;i<24;i++)alert(i)</script><p>done</p>"
    async with browser.session() as session:
        await session.navigate(site.page("/", html))
        await session.wait_for(text="done")
        record = data_of(await session.dialogs())
        assert record["dropped"] == 5
        assert all(len(row["message"]) <= 1_000 for row in record["items"])
