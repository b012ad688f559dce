"""Verifying: it reads and never acts; evidence settles an outcome, and without it stays unknown."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.errors import InvalidInput
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.codes import Effect, Status
from browser_agent.records.model import ModelRequest
from browser_agent.records.result import Result
from browser_agent.robot.robot import Robot
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Finder = Callable[..., Awaitable[str]]

BLOCKS = """<title>Shop</title><button onclick="
  fetch('/save', {method: 'POST', body: 'one'});
  const end = Date.now() + 3000; while (Date.now() < end);">Order</button>"""
ANSWERED_LATE = """<title>Form</title><form method=post action=/save>
<input name=a value=x><button>Order</button></form>"""


def data_of(result: Result) -> dict[str, Any]:
    """The data of a Result as a plain dict."""
    return cast("dict[str, Any]", result.to_dict()["data"])


@pytest.mark.parametrize(
    ("action", "kind"),
    [("click", "event"), ("fill", "value"), ("follow", "url"), ("ask", "dialog")],
)
async def test_what_is_settled_stays_settled_and_is_shown_with_its_evidence(
    session: Session, site: FixtureSite, ref: Finder, action: str, kind: str
) -> None:
    site.page("/next", "<p>next</p>")
    await session.navigate(
        site.page(
            "/",
            "<button onclick=\"this.after('done')\">click</button><input aria-label=fill>"
            "<a href=/next>follow</a><button onclick=\"confirm('sure?')\">ask</button>",
        )
    )
    target = await ref(session, action)
    done = await (session.fill(target, "abc") if action == "fill" else session.click(target))
    before = len(site.requests)
    for given in (done, done.operation_id or ""):
        verified = await session.verify(given)
        assert (verified.status, verified.effect) == (Status.OK, Effect.ACKNOWLEDGED)
        assert data_of(verified)["settles"] == done.operation_id
        assert kind in [row["kind"] for row in data_of(verified)["evidence"]]
    assert len(site.requests) == before, "looking asks the server nothing"


async def test_a_refused_dispatch_and_strange_ids_have_nothing_to_verify(
    session: Session, site: FixtureSite
) -> None:
    await session.navigate(site.page("/", "<p>x</p>"))
    assert (await session.verify(await session.click("e999"))).error_code == "not_found"
    with pytest.raises(InvalidInput):
        await session.verify(cast("str", 7))


@pytest.mark.parametrize("kind", ["blocks", "answered late"])
async def test_a_robot_sends_once_and_verifies(
    hasty_browser: Browser, site: FixtureSite, kind: str
) -> None:
    """T-H1: the input is taken, its answer does not come in time, and nothing is sent again."""
    go_on = asyncio.Event()

    @site.route("/save")
    async def _save(_: Request) -> Response:
        if kind == "answered late":
            await go_on.wait()
        return Response.html("<title>Saved</title>saved")

    url = site.page("/shop", BLOCKS if kind == "blocks" else ANSWERED_LATE)
    async with hasty_browser.session() as session:
        await session.navigate(url)
        found = data_of(await session.find("Order", role="button"))["matches"]
        target = found[0]["ref"]

        def verify(_: ModelRequest) -> list[tuple[str, dict[str, object]]]:
            go_on.set()
            return [("browser_verify", {"operation": "R1"})]

        click = [("browser_click", {"target": target, "element": "Order"})]
        model = ScriptedModel([click, click, verify, verify, "It is saved."])
        robot = Robot("buyer", model=model, session=session, approve=lambda _: True)  # pyright: ignore[reportUnknownLambdaType] - any request
        result = await robot.run("Order one.")
    statuses = [call.status for call in result.tool_calls]
    assert statuses[:2] == ["unknown", "error"], "the second click is refused, not sent"
    assert site.count("/save", method="POST") == 1
    assert "ok" in statuses[2:], [one.to_dict() for one in result.results]
    assert result.status == "ok"
