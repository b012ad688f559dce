"""Actions that lead where no page is: typed in the action's own Result, and no content of it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.records.codes import Effect, Status
from browser_agent.records.result import Result
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Hangup, Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

POLICY = "policy_denied"
CONNECT = "connect_failed"


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


@pytest.fixture(scope="module")
def closed_port() -> Iterator[int]:
    """A port of this host that refuses connections for as long as the module runs."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])


@pytest.fixture
async def refused(anyio_backend: str) -> AsyncIterator[FixtureSite]:
    """A site that the policy does not admit."""
    assert anyio_backend == "asyncio"
    async with FixtureSite.serve() as served:
        served.page("/x", "<title>Refused</title><p>secret words</p>")
        yield served


@pytest.fixture
async def narrow(
    site: FixtureSite, refused: FixtureSite, closed_port: int
) -> AsyncIterator[Session]:
    """A session on a page of links and forms that lead nowhere."""
    dead = f"127.0.0.1:{closed_port}"

    @site.route("/hang")
    async def _hang(_: Request) -> Response:
        raise Hangup

    @site.route("/away")
    async def _away(_: Request) -> Response:
        return Response(302, {"location": refused.at("/x")})

    page = site.page(
        "/",
        f"""<title>Start</title><a href="{refused.at("/x")}">denied</a>
        <a href="{refused.at("/x")}" target=_blank>denied tab</a>
        <button onclick="location = '{refused.at("/x")}'">denied by script</button>
        <a href=/away>redirected</a> <a href="http://{dead}/">dead</a>
        <a href="https://{dead}/">dead tls</a> <a href=/hang>hung up</a>
        <a href="http://nowhere.invalid/">no name</a>
        <form method=post action="http://{dead}/"><button>post dead</button></form>
        <form method=post action="{refused.at("/x")}"><button>post denied</button></form>
        <form method=post action=/hang><button>post hung up</button></form>""",
    )
    policy = UrlPolicy.public_web(allow_local=[site.url, f"http://{dead}", f"https://{dead}"])
    async with Browser.launch(policy=policy, robots=False) as browser, browser.session() as opened:
        await opened.navigate(page)
        yield opened


LANDINGS = {
    "denied": (Status.ERROR, POLICY),
    "denied by script": (Status.ERROR, POLICY),
    "redirected": (Status.ERROR, POLICY),
    "dead": (Status.ERROR, CONNECT),
    "dead tls": (Status.ERROR, CONNECT),
    "hung up": (Status.ERROR, CONNECT),
    "no name": (Status.ERROR, "dns_failed"),
    "post dead": (Status.ERROR, CONNECT),
    "post denied": (Status.ERROR, POLICY),
    "post hung up": (Status.UNKNOWN, "outcome_unknown"),
}
"""By the control's name: what a click on it comes to."""


async def test_where_a_click_leads_is_typed_and_is_no_content(
    narrow: Session, site: FixtureSite, refused: FixtureSite, ref: Finder
) -> None:
    for name, (status, code) in LANDINGS.items():
        await narrow.navigate(site.at("/"))
        clicked = await narrow.click(await ref(narrow, name))
        told = (clicked.status, clicked.error_code, clicked.effect)
        assert told == (status, code, Effect.ACKNOWLEDGED), name
        assert clicked.final_url is None, name
        assert data_of(clicked)["navigated"] is True, name
        assert data_of(clicked)["changes"] == {"added": [], "removed": []}, name
        assert cast("dict[str, Any]", clicked.to_dict()["error"])["retryable"] is False, name
        assert (await narrow.read()).status is Status.ERROR, name
    assert refused.requests == ()
    assert site.count("/hang", method="POST") == 1


async def test_a_new_tab_that_shows_no_page_says_why(narrow: Session, ref: Finder) -> None:
    clicked = await narrow.click(await ref(narrow, "denied tab"))
    assert clicked.is_ok
    (row,) = data_of(clicked)["new_tabs"]
    assert row["error"] == POLICY
    await narrow.select_tab(row["id"])
    assert (await narrow.read()).error_code == POLICY


async def test_after_a_landing_that_failed_going_back_gives_the_page(
    narrow: Session, site: FixtureSite, ref: Finder
) -> None:
    clicked = await narrow.click(await ref(narrow, "dead"))
    assert (await narrow.verify(clicked)).error_code == CONNECT
    assert (await narrow.back()).final_url == site.at("/")
    assert (await narrow.click(await ref(narrow, "denied"))).error_code == POLICY
