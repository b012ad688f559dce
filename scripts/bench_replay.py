"""Measures how much faster a replay is than its live run over a network with a delay of 200 ms.

Each page needs three answers one after another (itself, its style, a picture of the style), as
pages of the web do. Both sides run from the launch of their browser to its verified end; in turn.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from browser_agent import Browser, Robot, RobotResult, RunLimits, ScriptedModel, UrlPolicy
from browser_agent.replay import replay_run
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

PAGES = 25
DELAY_S = 0.2
LIMITS = RunLimits(max_turns=2 * PAGES + 5)
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'


def serve_pages(site: FixtureSite) -> None:
    @site.route("/page/*")
    async def page(request: Request) -> Response:
        await asyncio.sleep(DELAY_S)
        name = request.path.rpartition("/")[2]
        return Response.html(
            f"<title>Page {name}</title><link rel=stylesheet href=/style/{name}.css>"
            f"<h1>Page {name}</h1><p>Tower {name} is {name}0 m tall.</p>"
        )

    @site.route("/style/*")
    async def style(request: Request) -> Response:
        await asyncio.sleep(DELAY_S)
        name = request.path.rpartition("/")[2]
        rule = f"body {{ background: url(/picture/{name}.svg) }}"
        return Response(200, {"Content-Type": "text/css"}, rule.encode())

    @site.route("/picture/*")
    async def picture(_: Request) -> Response:
        await asyncio.sleep(DELAY_S)
        return Response(200, {"Content-Type": "image/svg+xml"}, PICTURE)


async def live(site: FixtureSite, folder: Path) -> RobotResult:
    """Every page visited and read, recorded."""
    script: list[object] = []
    for number in range(PAGES):
        script.append([("browser_navigate", {"url": site.at(f"/page/{number}")})])
        script.append([("browser_read", {})])
    policy = UrlPolicy.only([site.url])
    async with Browser.launch(policy=policy, robots=False) as browser:
        robot = Robot(
            "bench", model=ScriptedModel([*script, "Done."]), browser=browser, limits=LIMITS
        )
        start = [site.at("/page/0")]
        return await robot.run("Read all pages.", start=start, run_dir=folder, record=True)


async def measure(rounds: int) -> dict[str, object]:
    taken: dict[str, list[float]] = {"live": [], "replay": []}
    async with FixtureSite.serve() as site:
        serve_pages(site)
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch) / "run"
                begun = time.perf_counter()
                result = await live(site, folder)
                taken["live"].append(time.perf_counter() - begun)
                begun = time.perf_counter()
                again = await replay_run(folder)
                taken["replay"].append(time.perf_counter() - begun)
                if not again.same:
                    raise SystemExit(f"the replay differs: {again.difference}")
                if len(result.tool_calls) != 2 * PAGES:
                    raise SystemExit(f"the run ended early: {result.stop_reason}")
    times = {name: statistics.median(values) for name, values in taken.items()}
    return {
        "pages": PAGES,
        "delay_ms": int(DELAY_S * 1000),
        "live_s": round(times["live"], 2),
        "replay_s": round(times["replay"], 2),
        "times_as_fast": round(times["live"] / times["replay"], 1),
    }


def main(rounds: int) -> dict[str, object]:
    """The measurement; at most three rounds, as each takes a while."""
    return asyncio.run(measure(min(rounds, 3)))
