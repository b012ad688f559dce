"""Results are delivered after cleanup; a callback that fails keeps both and repeats no work."""

from __future__ import annotations

import traceback

import pytest

from browser_agent import Browser, Result, ResultDeliveryError, UrlPolicy
from browser_agent.records.codes import Status
from browser_agent.testing.site import FixtureSite

pytestmark = pytest.mark.anyio


async def test_one_shot_is_delivered_after_its_session_is_gone(
    site: FixtureSite, local_web: UrlPolicy
) -> None:
    seen: list[tuple[str, int]] = []
    launched: list[Browser] = []

    async def note(_: Result, operation: str) -> None:
        contexts = launched[0]._running.browser.contexts if launched else []
        seen.append((operation, len(contexts)))

    async with Browser.launch(local_web, on_result=note, robots=False) as browser:
        launched.append(browser)
        await browser.read(site.page("/a", "<p>a"))
        async with browser.session() as session:
            await session.navigate(site.at("/a"))
    assert seen == [("read", 0), ("navigate", 1), ("close", 0), ("close_browser", 0)]


@pytest.mark.parametrize("failing", ["read", "navigate", "click", "close", "close_browser"])
async def test_failing_callback_keeps_result_and_cause_and_repeats_nothing(
    site: FixtureSite, local_web: UrlPolicy, failing: str
) -> None:
    calls: list[str] = []

    def fail(_: Result, operation: str) -> None:
        calls.append(operation)
        if operation == failing:
            raise OSError("disk full at /home/user")

    page = "<button onclick=\"fetch('/did', {method: 'POST'})\">Act</button>"
    site.page("/did", "taken")
    url = site.page("/a", page)

    async def work() -> None:
        async with Browser.launch(local_web, on_result=fail, robots=False) as browser:
            if failing == "read":
                await browser.read(url)
                return
            async with browser.session() as session:
                await session.navigate(url)
                matches = (await session.find("Act")).to_dict()["data"]["matches"]  # type: ignore[index]
                await session.click(matches[0]["ref"])  # type: ignore[index]

    with pytest.raises(ResultDeliveryError) as caught:
        await work()
    error = caught.value
    assert error.operation == failing
    assert isinstance(error.result, Result)
    assert error.result.status is Status.OK
    assert isinstance(error.__cause__, OSError)
    assert "disk full" not in str(error)
    assert calls.count(failing) == 1
    assert calls[-1] == "close_browser"
    assert site.count("/did", method="POST") == (0 if failing in ("read", "navigate") else 1)
    assert site.count("/a") == 1
    assert "".join(traceback.format_exception_only(error)).count("\n") == 1
