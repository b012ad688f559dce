"""Waiting for a text, its end, an element, a URL, a load, a time; a wait never carries the page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

PAGE = """<title>Wait</title><p id=o>loading</p><button id=b style="visibility:hidden">Late</button>
<iframe srcdoc="<p id=i>framed</p><script>
  addEventListener('message', () => { i.textContent = 'frame is done' })</script>"></iframe>
<button onclick="setTimeout(() => { o.textContent = 'all is done'; b.style.visibility = 'visible';
  frames[0].postMessage('x', '*'); history.pushState({}, '', '/done?n=7') }, 400)">Start</button>
<p hidden>never shown</p><div>%s</div>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


@pytest.mark.parametrize(
    "condition",
    [
        {"text": "all is done"},
        {"text": "ALL  is\ndone"},
        {"text": "frame is done"},
        {"text_gone": "loading"},
        {"url": "/done"},
        {"url": "*/done?n=*"},
        {"load": "load"},
    ],
    ids=["text", "folded", "framed", "gone", "url part", "url pattern", "load"],
)
async def test_a_wait_ends_when_it_is_met(
    session: Session, site: FixtureSite, ref: Finder, condition: dict[str, str]
) -> None:
    await session.navigate(site.page("/", PAGE % ("filler " * 20_000)))
    await session.click(await ref(session, "Start", "button"))
    met = await session.wait_for(**cast("Any", condition))
    assert met.is_ok, met.to_dict()
    assert data_of(met)["met"] == next(iter(condition))
    assert data_of(met)["waited_s"] >= 0
    assert len(met.to_json()) < 2_000, "T-A2: the page does not come along"


async def test_an_element_that_is_hidden_is_waited_for(
    session: Session, site: FixtureSite, ref: Finder
) -> None:
    later = PAGE.replace("visibility:hidden", "visibility:visible") % ""
    await session.navigate(site.page("/", later))
    assert data_of(await session.wait_for(ref=await ref(session, "Late", "button")))["met"] == "ref"
    assert (await session.wait_for(ref="e999")).error_code == "ref_not_found"


@pytest.mark.parametrize(
    "condition",
    [{"text": "never shown"}, {"text_gone": "loading"}, {"url": "/elsewhere"}],
    ids=["hidden text", "text that stays", "url"],
)
async def test_what_does_not_come_is_a_typed_timeout(
    hasty: Session, site: FixtureSite, condition: dict[str, str]
) -> None:
    await hasty.navigate(site.page("/", PAGE % ""))
    waited = await hasty.wait_for(**cast("Any", condition))
    assert (waited.status, waited.error_code) == (Status.ERROR, "wait_timeout")
    assert (await hasty.find("Start")).is_ok, "the session goes on"


async def test_a_time_is_waited_out_and_bounded(session: Session) -> None:
    began = asyncio.get_running_loop().time()
    waited = await session.wait_for(time_s=0.2)
    assert asyncio.get_running_loop().time() - began >= 0.2
    assert data_of(waited) == {"met": "time", "waited_s": 0.2}
    for wrong in (-1, 61):
        assert (await session.wait_for(time_s=wrong)).error_code == "invalid_input"


async def test_wrong_arguments(session: Session, site: FixtureSite) -> None:
    await session.navigate(site.page("/", "<p>x</p>"))
    assert (await session.wait_for(load="soon")).error_code == "invalid_input"
    wrongs: list[dict[str, object]] = [
        {},
        {"text": "a", "url": "b"},
        {"text": 7},
        {"time_s": "1"},
        {"time_s": 1, "text": "a"},
    ]
    for wrong in wrongs:
        with pytest.raises(InvalidInput):
            await session.wait_for(**cast("Any", wrong))
