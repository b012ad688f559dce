"""A recorded run replays offline, with equal digests and an equal checksum; changes are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser_agent import Robot, RobotResult, ScriptedModel
from browser_agent.browser.browser import Browser
from browser_agent.replay import replay_run
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
SECRET = "tr0ub4dor-and-three"
FORM = """<title>Form</title><h1>Order</h1>
<form method=post action=/order><label>Name <input name=n></label><button>Send</button></form>
<p id=t></p><script>
fetch('/api?_=' + Date.now()).then(r => r.json()).then(j => t.textContent = 'stock ' + j.n);
</script>"""


async def record(browser: Browser, folder: Path) -> RobotResult:
    """Two pages, a script that asks with a time stamp, and a posted form."""
    async with FixtureSite.serve() as site:

        @site.route("/api")
        async def stock(_: Request) -> Response:
            return Response(200, {"Content-Type": "application/json"}, b'{"n": 7}')

        @site.route("/order")
        async def order(request: Request) -> Response:
            html = f"<title>Done</title><h1>Thanks</h1><p>{request.body.decode()} {SECRET}</p>"
            return Response(200, {"Content-Type": "text/html"}, html.encode())

        site.page("/form", FORM)
        model = ScriptedModel(
            [
                [("browser_navigate", {"url": site.at("/form")})],
                [("browser_find", {"text": "Name"})],
                [("browser_type", {"target": "e1", "text": "Ada"})],
                [("browser_find", {"text": "Send"})],
                [("browser_click", {"target": "e2"})],
                [("browser_read", {"format": "text"})],
                "Thanks.",
            ]
        )
        robot = Robot("recorded", model=model, browser=browser)
        return await robot.run("order it", start=[site.at("/form")], run_dir=folder, record=True)


@pytest.fixture
async def recorded(browser: Browser, tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    result = await record(browser, folder)
    assert [call.status for call in result.tool_calls] == ["ok"] * 6, result.to_json()
    return folder


async def test_it_replays_with_the_server_gone(recorded: Path, long_run: bool) -> None:
    before = RobotResult.from_json((recorded / "result.json").read_bytes())
    for _ in range(20 if long_run else 2):
        again = await replay_run(recorded)
        assert again.same, again.difference
        assert again.result is not None
        assert again.result.checksum == before.checksum


async def test_a_changed_page_is_found_at_its_step(recorded: Path) -> None:
    entries = (recorded / "recording" / "network.jsonl").read_text().splitlines()
    done = next(e for e in map(json.loads, entries) if e["url"].endswith("/order"))
    name = done["body"].removeprefix("sha256:")
    body = recorded / "recording" / "bodies" / name[:2] / name
    body.write_bytes(body.read_bytes().replace(b"Thanks", b"Thinks"))
    again = await replay_run(recorded)
    assert not again.same
    assert again.step in (5, 6)


async def test_a_changed_reply_is_found(recorded: Path) -> None:
    model = recorded / "recording" / "model.jsonl"
    model.write_text(model.read_text().replace('\\"Ada\\"', '\\"Eve\\"'))
    again = await replay_run(recorded)
    assert not again.same
    assert again.step == 3


async def test_another_model_is_told_where_it_leaves_the_pages(recorded: Path) -> None:
    before = RobotResult.from_json((recorded / "result.json").read_bytes())
    url = str(before.tool_calls[0].arguments["url"])  # pyright: ignore
    on_them = ScriptedModel([[("browser_navigate", {"url": url})], "fine"])
    assert (await replay_run(recorded, model=on_them)).same
    elsewhere = ScriptedModel([[("browser_navigate", {"url": url + "/elsewhere"})], "fine"])
    left = await replay_run(recorded, model=elsewhere)
    assert not left.same
    assert "elsewhere" in (left.difference or "")
