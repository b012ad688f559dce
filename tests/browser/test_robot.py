"""A robot over a real browser: a session a run, evidence in the folder, honest ends."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from browser_agent.browser.browser import Browser
from browser_agent.browser.session import Session
from browser_agent.errors import ConfigurationError, InvalidInput
from browser_agent.logic.url_policy import UrlPolicy
from browser_agent.models.scripted import ScriptedModel
from browser_agent.records.events import RunEnded, ToolCallStarted
from browser_agent.records.limits import BrowserLimits, RunLimits
from browser_agent.records.model import ModelRequest
from browser_agent.records.run_parts import open_operations
from browser_agent.robot.robot import Robot
from browser_agent.store.verify import verify_run
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio

TOWER = """<title>Tower</title><h1>The water tower</h1>
<p>The water tower of Elmfield was finished in the spring of 1911.</p><a href=/next>Next</a>"""
LOGIN = """<title>Login</title><form method=post action=/in>
<input name=u aria-label=User><input type=password name=p aria-label=Password>
<button>Enter</button></form>"""

POST_AND_BLOCK = """<title>Shop</title><button onclick="
  fetch('/order', {method: 'POST', body: 'one'});
  const end = Date.now() + 9000; while (Date.now() < end);
  document.getElementById('done').textContent = 'ordered'">Order</button><p id=done></p>"""


def ref_in(request: ModelRequest, name: str) -> str:
    """The ref that the last snapshot shows for a name."""
    text = str(request.messages[-1]["content"])
    line = next(line for line in text.splitlines() if name in line)
    return re.findall(r"\be\d+\b", line)[0]


async def test_an_answer_with_a_citation_that_anybody_can_check(
    browser: Browser, site: FixtureSite, tmp_path: Path
) -> None:
    url = site.page("/tower", TOWER)
    quote = "The water tower of Elmfield was finished in the spring of 1911."
    model = ScriptedModel(
        [
            [("browser_navigate", {"url": url}), ("browser_read", {})],
            f'It was finished in 1911 [1].\n[1] R2 "{quote}"',
        ]
    )
    robot = Robot("scout", model=model, browser=browser, instructions="Be exact.")
    result = await robot.run("When was it finished?", start=[url], run_dir=tmp_path / "run")
    assert result.status == "ok"
    (citation,) = result.citations
    assert (citation.verified, citation.result) == (True, 2)
    assert result.closing is not None
    assert result.closing.is_ok
    first = model.requests[0]
    assert f"Start: {url}" in str(first.messages[1]["content"])
    assert "never instructions" in str(first.messages[0]["content"])
    assert first.messages[0] == model.requests[1].messages[0], "the prefix stays the same"
    verification = verify_run(tmp_path / "run")
    assert (verification.ok, verification.citations_verified) == (True, 1)


async def test_each_run_has_a_session_of_its_own_also_at_the_same_time(
    browser: Browser, site: FixtureSite
) -> None:
    async def run(number: int) -> str:
        url = site.page(f"/page{number}", f"<title>P{number}</title><p>marker {number}</p>")
        script: list[Any] = [
            [("browser_navigate", {"url": url})],
            [("browser_read", {})],
            f"marker {number}",
        ]
        robot = Robot(f"r{number}", model=ScriptedModel(script), browser=browser)
        result = await robot.run("Read.")
        assert result.unsupported == (), result.results
        return json.dumps(result.results[1].to_dict()["data"])

    async with asyncio.timeout(60):
        texts = await asyncio.gather(*(run(number) for number in range(3)))
    for number, text in enumerate(texts):
        assert f"marker {number}" in text


async def test_the_callers_session_is_used_and_left_open(
    session: Session, site: FixtureSite
) -> None:
    url = site.page("/tower", TOWER)
    robot = Robot(
        "scout", model=ScriptedModel([[("browser_navigate", {"url": url})], "ok"]), session=session
    )
    result = await robot.run("Go.", start=[url])
    assert result.closing is None
    assert (await session.read()).is_ok
    gate = asyncio.Event()

    class Hold:
        async def before_run(self, _: Any) -> None:
            await gate.wait()

    held = robot.fork(model=ScriptedModel(["done"]))
    first = asyncio.create_task(held.run("One.", hooks=[Hold()]))
    await asyncio.sleep(0)
    with pytest.raises(ConfigurationError, match="one task at a time"):
        await held.run("Two.")
    gate.set()
    await first


async def test_an_action_that_may_have_landed_makes_the_run_unknown_until_verified(
    local_web: UrlPolicy, site: FixtureSite
) -> None:
    """The limit leaves a slow machine time to get to the click; the page blocks for longer."""
    url = site.page("/shop", POST_AND_BLOCK)

    @site.route("/order")
    async def order(_: Request) -> Response:
        return Response.html("ok")

    sent: list[tuple[str, dict[str, object]]] = []

    def click(request: ModelRequest) -> list[tuple[str, dict[str, object]]]:
        sent[:] = [("browser_click", {"target": ref_in(request, "Order"), "element": "Order"})]
        return sent

    def click_again(_: ModelRequest) -> list[tuple[str, dict[str, object]]]:
        return sent

    open_it: list[Any] = [[("browser_navigate", {"url": url})], [("browser_snapshot", {})]]
    verify: list[Any] = [("browser_verify", {"operation": "R3"})]
    script: list[Any] = [*open_it, click, click_again, verify, "Ordered."]
    model = ScriptedModel(script)
    limits = BrowserLimits(action_timeout_s=4.0)
    async with Browser.launch(local_web, robots=False, limits=limits) as browser:
        robot = Robot("r", model=model, browser=browser, approve=lambda _: True)  # pyright: ignore[reportUnknownLambdaType] - any request
        result = await robot.run("Order.")
    assert [call.status for call in result.tool_calls][2:4] == ["unknown", "error"]
    assert site.count("/order") == 1, "the repetition was refused"
    assert result.stop_reason == "completed"
    assert result.status == ("unknown" if open_operations(result.results) else "ok")


async def test_a_password_that_the_model_types_stands_nowhere(
    browser: Browser, site: FixtureSite, tmp_path: Path
) -> None:
    url = site.page("/login", LOGIN)
    password = "correct-horse-battery-77"

    @site.route("/in")
    async def enter(_: Request) -> Response:
        return Response.html("<title>In</title>welcome")

    def fill(request: ModelRequest) -> list[tuple[str, dict[str, object]]]:
        ref = ref_in(request, "Password")
        return [("browser_type", {"target": ref, "element": "Password", "text": password})]

    script: list[Any] = [
        [("browser_navigate", {"url": url})],
        [("browser_snapshot", {})],
        fill,
        [("browser_snapshot", {})],
        f"I typed {password}.",
    ]
    robot = Robot("r", model=ScriptedModel(script), browser=browser)
    told: list[str] = []
    async for event in robot.stream("Log in.", run_dir=tmp_path / "run"):
        if isinstance(event, ToolCallStarted):
            told.append(str(event.to_dict()))
        if isinstance(event, RunEnded):
            told.append(json.dumps(event.result.to_dict()))
    assert told
    assert password not in "".join(told)
    for file in (tmp_path / "run").rglob("*"):
        if file.is_file():
            assert password.encode() not in file.read_bytes(), file.name


async def test_the_clock_ends_a_run_in_the_middle_of_a_page_that_never_loads(
    browser: Browser, silent_url: str
) -> None:
    script: list[Any] = [[("browser_navigate", {"url": silent_url})]]
    limits = RunLimits(max_time_s=0.5)
    robot = Robot("r", model=ScriptedModel(script), browser=browser, limits=limits)
    async with asyncio.timeout(30):
        result = await robot.run("Go.")
    assert result.stop_reason == "budget_time"
    assert result.closing is not None
    assert result.closing.is_ok


async def test_cancelling_in_the_middle_of_a_page_closes_the_session(
    browser: Browser, silent_url: str
) -> None:
    asked = asyncio.Event()

    def go(_: ModelRequest) -> list[tuple[str, dict[str, object]]]:
        asked.set()
        return [("browser_navigate", {"url": silent_url})]

    robot = Robot("r", model=ScriptedModel([go]), browser=browser)
    run = asyncio.create_task(robot.run("Go."))
    async with asyncio.timeout(30):
        await asked.wait()
        robot.cancel()
        result = await run
    assert (result.stop_reason, result.status) == ("cancelled", "error")
    assert result.closing is not None


async def test_addresses_of_the_operator_are_admitted_and_bad_ones_refused(
    browser: Browser, site: FixtureSite
) -> None:
    robot = Robot("r", model=ScriptedModel([]), browser=browser)
    for wrong in ("example.com", "ftp://a.example/", "javascript:1", "http://169.254.169.254/x"):
        with pytest.raises(InvalidInput):
            await robot.run("Go.", start=[wrong])
    with pytest.raises(InvalidInput, match="list"):
        await robot.run("Go.", start="https://a.example")


async def test_only_the_named_browser_tools_are_offered(browser: Browser) -> None:
    model = ScriptedModel(["hi"])
    robot = Robot("r", model=model, browser=browser, browser_tools=["browser_navigate", "cite"])
    await robot.run("Go.")
    tools: list[Any] = list(model.requests[0].tools)
    assert [tool["function"]["name"] for tool in tools] == ["browser_navigate", "cite"]
    with pytest.raises(ConfigurationError, match="Unknown tool 'browser_fly'"):
        Robot("r", model=model, browser=browser, browser_tools=["browser_fly"])
    bare = Robot("r", model=ScriptedModel(["hi"]), browser=browser, browser_tools=[])
    assert bare.settings.tools == ()


async def test_claims_made_by_tool_call_are_checked_like_footnotes(
    browser: Browser, site: FixtureSite
) -> None:
    url = site.page("/tower", TOWER)
    cite = {
        "result": "R2",
        "quote": "The water tower of Elmfield was finished in the spring of 1911.",
        "claim": "It was finished in 1911.",
    }
    script: list[Any] = [
        [("browser_navigate", {"url": url}), ("browser_read", {})],
        [("cite", cite), ("cite", {**cite, "claim": "It was finished in 1912."})],
        "It was finished in 1911.",
    ]
    result = await Robot("r", model=ScriptedModel(script), browser=browser).run("When?")
    assert [citation.verified for citation in result.citations] == [True, False]
