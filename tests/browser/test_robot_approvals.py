"""A robot's approvals over real pages: what an element says and where its form would go decide."""

from __future__ import annotations

import re
from typing import Any

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.approval import ActionPolicy, ApprovalRequest
from browser_agent.records.model import ModelRequest
from browser_agent.robot.robot import Robot
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio

SHOP = """<title>Shop</title><p>Voucher for you: quartz-zebra-4711-blue</p>
<button onclick="document.title = 'paid'">Pay now</button>
<button onclick="document.title = 'next'">Next</button>"""


def click(name: str) -> Any:
    def choose(request: ModelRequest) -> list[tuple[str, dict[str, object]]]:
        shown = "\n".join(str(message["content"]) for message in request.messages)
        line = next(line for line in shown.splitlines() if name in line and "button" in line)
        return [("browser_click", {"target": re.findall(r"\be\d+\b", line)[0]})]

    return choose


async def test_a_payment_is_denied_where_nobody_can_be_asked_and_other_clicks_are_made(
    browser: Browser, site: FixtureSite
) -> None:
    url = site.page("/", SHOP)
    look: list[Any] = [[("browser_navigate", {"url": url})], [("browser_snapshot", {})]]
    script = [*look, click("Pay now"), click("Next"), "done"]
    result = await Robot(
        "r", model=ScriptedModel(script), browser=browser, actions=ActionPolicy()
    ).run("Go on.")
    assert [one.error_code for one in result.results] == [None, None, "approval_denied", None]


async def test_the_approver_is_told_what_for_and_where(browser: Browser, site: FixtureSite) -> None:
    asked: list[ApprovalRequest] = []

    def ask(request: ApprovalRequest) -> bool:
        asked.append(request)
        return True

    url = site.page("/", SHOP)
    look: list[Any] = [[("browser_navigate", {"url": url})], [("browser_snapshot", {})]]
    model = ScriptedModel([*look, click("Pay now"), click("Next"), "done"])
    robot = Robot("r", model=model, browser=browser, approve=ask, actions=ActionPolicy())
    result = await robot.run("Pay.")
    assert [one.is_ok for one in result.results] == [True] * 4
    assert [(one.purpose, one.origin) for one in asked] == [("payment", site.url)]


async def test_text_of_one_site_is_not_carried_to_another_unasked(
    browser: Browser, site: FixtureSite
) -> None:
    async with FixtureSite.serve() as elsewhere:
        url = site.page("/", SHOP)
        taken = elsewhere.at("/log?v=quartz-zebra-4711-blue")
        script: list[Any] = [
            [("browser_navigate", {"url": url})],
            [("browser_read", {})],
            [("browser_navigate", {"url": taken})],
            "done",
        ]
        result = await Robot(
            "r", model=ScriptedModel(script), browser=browser, actions=ActionPolicy()
        ).run("Read it.")
        assert result.results[-1].error_code == "approval_denied"
        assert elsewhere.requests == ()
