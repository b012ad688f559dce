"""How the actions do on MiniWoB++: oracle policies act through the session's tools alone.

usage: eval_miniwob.py [TASK ...] [--seeds N] [--first SEED] [--workers N] [--json] [--check]

The pages come from the installed `miniwob` package over a loopback server, which only sets the
seed and a longer clock. `--check` ends with status 1 below 97 percent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import Counter, defaultdict
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import miniwob_clicks
import miniwob_forms
from miniwob_page import Stuck, Wob

from browser_agent import Browser, UrlPolicy
from browser_agent.browser.session import Session
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

POLICIES = miniwob_clicks.POLICIES | miniwob_forms.POLICIES
GOAL = 0.97
CLOCK_MS = 300_000
EPISODE_S = 240
_RAW = re.compile(r"\(raw: (-?[\d.]+)\)")


def pages() -> Path:
    """The folder of the package's pages."""
    return Path(str(files("miniwob"))) / "html"


def serve_tasks(site: FixtureSite) -> None:
    """Serve the tasks with a seed and a clock of their own."""

    @site.route("/miniwob/*")
    async def _task(request: Request) -> Response:
        name = request.path.rpartition("/")[2]
        html = await asyncio.to_thread((pages() / "miniwob" / name).read_text, "utf-8")
        seed = json.dumps(request.query.get("seed", "0"))
        script = f"<script>Math.seedrandom({seed});core.EPISODE_MAX_TIME={CLOCK_MS}</script>"
        return Response.html(html.replace("<body", f"{script}<body", 1))


async def play(session: Session, url: str, task: str) -> float:
    """One episode; the reward that the page itself gave, without its discount for time."""
    gone = await session.navigate(url)
    if not gone.is_ok:
        raise Stuck(f"no page: {gone.error_message}")
    await _click_named(session, "START")
    goal = _data(await session.snapshot())["text"].partition("\n")[0].strip().strip('"')
    before = len(await _rewards(session))
    await asyncio.wait_for(POLICIES[task](Wob(session, goal)), EPISODE_S)
    await session.wait_for(text="Episodes done: 1")
    rewards = (await _rewards(session))[before:]
    if not rewards:
        raise Stuck(f"the episode did not end: {goal}")
    return rewards[-1]


async def _click_named(session: Session, name: str) -> None:
    matches = _data(await session.find(name))["matches"]
    clicked = await session.click(matches[0]["ref"])
    if not clicked.is_ok:
        raise Stuck(f"{name}: {clicked.error_message}")


async def _rewards(session: Session) -> list[float]:
    rows = _data(await session.console())["items"]
    found = (_RAW.search(row["text"]) for row in rows)
    return [float(match.group(1)) for match in found if match]


def _data(result: Any) -> dict[str, Any]:
    if not result.is_ok:
        raise Stuck(f"{result.error_code}: {result.error_message}")
    return cast("dict[str, Any]", result.to_dict()["data"])


class Score:
    """Episodes won and lost, by task."""

    def __init__(self) -> None:
        self.won: Counter[str] = Counter()
        self.played: Counter[str] = Counter()
        self.reasons: defaultdict[str, list[str]] = defaultdict(list)

    def note(self, task: str, seed: int, reason: str) -> None:
        """An empty reason is a win."""
        self.played[task] += 1
        if reason:
            self.reasons[task].append(f"seed {seed}: {reason}")
        else:
            self.won[task] += 1

    @property
    def rate(self) -> float:
        """Episodes won among those played."""
        return sum(self.won.values()) / max(1, sum(self.played.values()))


async def run(tasks: list[str], *, seeds: range, workers: int) -> Score:
    """Play every task with every seed."""
    score = Score()
    episodes = [(task, seed) for task in tasks for seed in seeds]
    episodes.reverse()
    async with FixtureSite.serve(pages()) as site:
        serve_tasks(site)
        policy = UrlPolicy.public_web(allow_local=[site.url])
        async with Browser.launch(policy=policy, robots=False) as browser:

            async def work() -> None:
                while episodes:
                    task, seed = episodes.pop()
                    url = site.at(f"/miniwob/{task}.html?seed={seed}")
                    async with browser.session(viewport={"width": 500, "height": 320}) as session:
                        reason = await _attempt(session, url, task)
                    score.note(task, seed, reason)
                    print(f"{task} {seed} {reason[:200] or 'won'}", file=sys.stderr, flush=True)

            await asyncio.gather(*(work() for _ in range(workers)))
    return score


async def _attempt(session: Session, url: str, task: str) -> str:
    try:
        reward = await play(session, url, task)
    except (Stuck, TimeoutError, LookupError, AttributeError, ValueError, StopIteration) as error:
        return f"{type(error).__name__}: {error}"
    return "" if reward >= 1 else f"reward {reward:g}"


def report(score: Score, *, as_json: bool) -> None:
    """Figures on stdout."""
    if as_json:
        print(json.dumps({"rate": score.rate, "tasks": len(score.played), "lost": score.reasons}))
        return
    for task in sorted(score.played):
        print(f"{task:32} {score.won[task]:3}/{score.played[task]}")
        for reason in score.reasons[task]:
            print(f"    {reason[:300]}")
    played = sum(score.played.values())
    print(f"{len(score.played)} tasks, {played} episodes, {score.rate:.1%} won")


def main() -> int:
    """Run, report, and judge."""
    parser = argparse.ArgumentParser(prog="scripts/eval miniwob", description=__doc__)
    parser.add_argument("tasks", nargs="*", help="tasks; all that have a policy when none is given")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first of these seeds")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help=f"fail below {GOAL:.0%}")
    given = parser.parse_args()
    unknown = sorted(set(given.tasks) - set(POLICIES))
    if unknown:
        parser.error(f"no policy for {', '.join(unknown)}")
    seeds = range(given.first, given.first + given.seeds)
    score = asyncio.run(run(given.tasks or list(POLICIES), seeds=seeds, workers=given.workers))
    report(score, as_json=given.json)
    return int(given.check and score.rate < GOAL)


if __name__ == "__main__":
    sys.exit(main())
