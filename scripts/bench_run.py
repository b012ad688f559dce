"""The benchmark: ours and plain Playwright in turn, A B A B, medians and ratios of one run.

Comparisons of snapshots run with our bounds raised until the status is ok; the bounded default is
a row of its own. Peers that are products of others are not installed by this script.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Page, async_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bench_mcp
import bench_replay
import bench_sessions
import bench_verify
from bench_pages import FRAME, page

from browser_agent import Browser, BrowserLimits, Redactor, Result, UrlPolicy
from browser_agent.browser.discover import find_browser
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

SIZES = (100, 1_000, 10_000, 50_000)
WIDE = BrowserLimits(
    snapshot_bytes=32_000_000,
    capture_bytes=64_000_000,
    result_bytes=64_000_000,
    observation_timeout_s=60,
)
Work = Callable[[], Awaitable[object]]


async def in_turn(rounds: int, **works: Work) -> dict[str, float]:
    """Median milliseconds of each, taken in turn after one round of warm-up."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            begun = time.perf_counter()
            await work()
            if turn:
                taken[name].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(values) for name, values in taken.items()}


def calibrate() -> float:
    """A loop that takes about 15 ms on a quiet machine: shows a noisy run."""
    begun = time.perf_counter()
    sum(number * number for number in range(150_000))
    return (time.perf_counter() - begun) * 1000


def tokens(text: str) -> int:
    """Tokens of o200k_base as litellm's bundled vocabulary counts them."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm import token_counter

    return int(token_counter(model="gpt-4o", text=text))


async def observe(site: FixtureSite, rounds: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    policy = UrlPolicy.public_web(allow_local=[site.url])
    async with (
        Browser.launch(policy=policy, limits=WIDE, robots=False) as browser,
        browser.session() as session,
        async_playwright() as playwright,
    ):
        chromium = await playwright.chromium.launch(
            executable_path=find_browser(None, ""), args=["--no-sandbox"]
        )
        plain: Page = await chromium.new_page(viewport={"width": 1280, "height": 720})
        for size in SIZES:
            url = site.at(f"/p{size}")
            await session.navigate(url)
            await plain.goto(url)
            few = rounds if size <= 10_000 else max(2, rounds // 3)
            took = await in_turn(
                few,
                ours=session.snapshot,
                interactive=lambda: session.snapshot("interactive"),
                viewport=lambda: session.snapshot("viewport"),
                aria=lambda: plain.locator("body").aria_snapshot(mode="ai", timeout=60_000),
            )
            full, short = await session.snapshot(), await session.snapshot("interactive")
            aria = await plain.locator("body").aria_snapshot(mode="ai", timeout=60_000)
            text, brief = str(full.data["text"]), str(short.data["text"])  # type: ignore[index]
            rows.append(
                {
                    "page": f"p{size}",
                    **{f"{name}_ms": round(value, 1) for name, value in took.items()},
                    "status": full.status.value,
                    "aria_over_ours": round(took["aria"] / took["ours"], 1),
                    "tokens": tokens(text) if size <= 10_000 else None,
                    "tokens_interactive": tokens(brief) if size <= 10_000 else None,
                    "tokens_share_of_aria": round(tokens(text) / tokens(aria), 2)
                    if size <= 10_000
                    else None,
                }
            )
        await chromium.close()
    return rows


async def act(site: FixtureSite, rounds: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    policy = UrlPolicy.public_web(allow_local=[site.url])
    async with (
        Browser.launch(policy=policy, robots=False) as browser,
        browser.session() as session,
        async_playwright() as playwright,
    ):
        chromium = await playwright.chromium.launch(
            executable_path=find_browser(None, ""), args=["--no-sandbox"]
        )
        plain = await chromium.new_page()
        for size in (1_000, 10_000):
            url = site.at(f"/p{size}")
            await session.navigate(url)
            await plain.goto(url)
            button = await _ref(session, "Count", "button")
            field = await _ref(session, "Name", "textbox")

            async def plain_click(here: Page = plain) -> None:
                await here.click("#more")
                await here.locator("body").aria_snapshot(mode="ai", timeout=60_000)

            took = await in_turn(
                rounds,
                click=lambda ref=button: session.click(ref),
                fill=lambda ref=field: session.fill(ref, "x" * 50),
                plain_click_and_aria=plain_click,
            )
            done = await session.click(button)
            changes = json.dumps(done.to_dict()["data"])
            rows.append(
                {
                    "page": f"p{size}",
                    **{f"{name}_ms": round(value, 1) for name, value in took.items()},
                    "tokens_of_what_changed": tokens(changes),
                }
            )
        await chromium.close()
    return rows


async def _ref(session: object, text: str, role: str) -> str:
    found = await session.find(text, role=role)  # type: ignore[attr-defined]
    return str(found.data["matches"][0]["ref"])


def small() -> dict[str, object]:
    """Costs without a browser: building Results, redaction, import."""
    text = " ".join(["plain words of a page"] * 1000)[:20_000]
    redactor = Redactor(["correct-horse-battery"])

    def per_call(work: Callable[[], object], count: int) -> float:
        work()
        begun = time.perf_counter()
        for _ in range(count):
            work()
        return (time.perf_counter() - begun) / count * 1e6

    prose = (text + " at 10:45 on 3 May, see https://example.com/a?b=1. ") * 50
    megabytes = len(prose) / 1e6
    code = "import time; t=time.perf_counter(); import browser_agent; print(time.perf_counter()-t)"
    imports = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(5)
    ]
    return {
        "result_of_20_kB_us": round(
            per_call(lambda: Result.ok(data={"text": redactor.redact_text(text)}).digest, 200)
        ),
        "redaction_ms_per_MB": round(
            per_call(lambda: redactor.redact_text(prose), 5) / 1000 / megabytes, 1
        ),
        "import_ms": round(statistics.median(imports) * 1000, 1),
    }


async def proxy(site: FixtureSite, rounds: int) -> dict[str, object]:
    """Page load of 50 subresources and a 50 MB body, with our proxy and without any."""
    policy = UrlPolicy.public_web(allow_local=[site.url])
    async with (
        Browser.launch(policy=policy, robots=False) as browser,
        browser.session() as session,
        async_playwright() as playwright,
    ):
        chromium = await playwright.chromium.launch(
            executable_path=find_browser(None, ""), args=["--no-sandbox"]
        )
        plain = await chromium.new_page()
        ours = session._core.tabs
        await session.navigate(site.at("/p100"))
        page_behind = ours.current.page  # type: ignore[union-attr]
        fetch = "fetch('/big').then(r => r.arrayBuffer()).then(b => b.byteLength)"
        took = await in_turn(
            rounds,
            with_proxy=lambda: page_behind.goto(site.at("/many"), wait_until="load"),
            without=lambda: plain.goto(site.at("/many"), wait_until="load"),
        )
        big = await in_turn(
            max(2, rounds // 3),
            with_proxy=lambda: page_behind.evaluate(fetch),
            without=lambda: plain.evaluate(fetch),
        )
        await chromium.close()
    return {
        "subresources_50": round(took["with_proxy"] / took["without"], 2),
        "body_50_MB": round(big["with_proxy"] / big["without"], 2),
    }


async def run(rounds: int) -> dict[str, object]:
    before = calibrate()
    async with FixtureSite.serve() as site:
        for size in SIZES:
            site.page(f"/p{size}", page(size))
        site.page("/frame.html", FRAME)
        site.page("/many", "".join(f'<img src="/img/{n}">' for n in range(50)))
        site.route("/img/*")(_image)
        site.route("/big")(_big)
        report = {
            "observation": await observe(site, rounds),
            "action": await act(site, rounds),
            "proxy": await proxy(site, rounds),
            "small": small(),
        }
    return {"calibration_ms": [round(before, 1), round(calibrate(), 1)], **report}


async def _image(_: Request) -> Response:
    headers = {"Content-Type": "image/svg+xml", "Cache-Control": "no-store"}
    return Response(200, headers, b'<svg xmlns="http://www.w3.org/2000/svg"/>' + b" " * 4_000)


async def _big(_: Request) -> Response:
    return Response(200, {"Cache-Control": "no-store"}, b"x" * 50_000_000)


def show(report: dict[str, object]) -> None:
    for name, rows in report.items():
        print(f"\n{name}")
        for row in (
            rows if isinstance(rows, list) and rows and isinstance(rows[0], dict) else [rows]
        ):
            print("  ", json.dumps(row))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "part", nargs="?", choices=["all", "mcp", "replay", "sessions", "verify"], default="all"
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    match given.part:
        case "mcp":
            measured = bench_mcp.main(given.rounds)
        case "replay":
            measured = bench_replay.main(given.rounds)
        case "sessions":
            measured = bench_sessions.main(given.rounds)
        case "verify":
            measured = bench_verify.main(given.rounds)
        case _:
            measured = asyncio.run(run(given.rounds))
    print(json.dumps(measured)) if given.json else show(measured)
