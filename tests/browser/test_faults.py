"""Faults in front of real pages: no wrong ``ok``, nothing untyped, nothing done twice.

The faults come at the driver's boundary: the real connection of a running browser, cut at one
message. It is sent or not; its answer is lost, late or an error. Which operation is hit stands in a
context variable of the task that runs it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from playwright._impl.errors import Error, TargetClosedError
from playwright._impl.errors import TimeoutError as DriverTimeout

from browser_agent import Browser, BrowserLimits, Result, UrlPolicy
from browser_agent.browser.session import Session
from browser_agent.records.codes import Effect, Status
from browser_agent.testing.site import FixtureSite
from browser_agent.testing.wire import Request, Response

pytestmark = pytest.mark.anyio
Send = Callable[[], "asyncio.Future[object]"]
LATE_S = 0.4
SEAM = "send_message_to_server"


@dataclass(eq=False)
class Plan:
    """One fault: its kind, and at which message of the operation it comes."""

    kind: str
    at: int
    sent: int = 0
    method: str = ""

    @property
    def fired(self) -> bool:
        return bool(self.method)


PLAN: ContextVar[Plan | None] = ContextVar("plan", default=None)


def _failed(error: Exception) -> asyncio.Future[object]:
    future = asyncio.get_running_loop().create_future()
    future.set_exception(error)
    future.exception()  # who never asks for it is not told off
    return future


def _instead(error: Callable[[], Exception]) -> Callable[[Send], asyncio.Future[object]]:
    """The message is not sent; an error comes at once."""
    return lambda _: _failed(error())


def _after(error: Callable[[], Exception]) -> Callable[[Send], asyncio.Future[object]]:
    """The message is sent and carried out; its answer is an error."""

    def fault(send: Send) -> asyncio.Future[object]:
        answer = asyncio.get_running_loop().create_future()

        def fail(done: asyncio.Future[object]) -> None:
            if not done.cancelled():
                done.exception()
            if not answer.done():
                answer.set_exception(error())
                answer.exception()

        send().add_done_callback(fail)
        return answer

    return fault


def _swallowed(_: Send) -> asyncio.Future[object]:
    return asyncio.get_running_loop().create_future()


def _lost(send: Send) -> asyncio.Future[object]:
    send().add_done_callback(lambda done: done.cancelled() or done.exception())
    return asyncio.get_running_loop().create_future()


def _late(send: Send) -> asyncio.Future[object]:
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[object] = loop.create_future()

    def hand_on(done: asyncio.Future[object]) -> None:
        if answer.done() or done.cancelled():
            return
        error = done.exception()
        if error is not None:
            answer.set_exception(error)
            answer.exception()
        else:
            answer.set_result(done.result())

    send().add_done_callback(lambda done: loop.call_later(LATE_S, hand_on, done))
    return answer


FAULTS: dict[str, Callable[[Send], asyncio.Future[object]]] = {
    "timeout instead": _instead(lambda: DriverTimeout("Timeout 1ms exceeded.")),
    "timeout after": _after(lambda: DriverTimeout("Timeout 1ms exceeded.")),
    "error instead": _instead(lambda: Error("Protocol error (Runtime.callFunctionOn)")),
    "error after": _after(lambda: Error("Protocol error (Runtime.callFunctionOn)")),
    "detached instead": _instead(lambda: Error("Frame was detached")),
    "detached after": _after(lambda: Error("Frame was detached")),
    "context gone": _after(lambda: Error("Execution context was destroyed")),
    "closed instead": _instead(lambda: TargetClosedError("Target page has been closed")),
    "closed after": _after(lambda: TargetClosedError("Target page has been closed")),
    "swallowed": _swallowed,
    "lost": _lost,
    "late": _late,
}


@contextlib.contextmanager
def faults_of(browser: Browser) -> Generator[None]:
    """Let every message of ``browser`` pass the plan of the task that sends it."""
    connection = browser._running.browser._impl_obj._connection
    real: Callable[..., asyncio.Future[object]] = connection.send_message_to_server

    def send(obj: object, method: str, params: object, options: object) -> asyncio.Future[object]:
        plan = PLAN.get()
        if plan is None or method.startswith("__"):
            return real(obj, method, params, options)
        plan.sent += 1
        if plan.sent != plan.at:
            return real(obj, method, params, options)
        plan.method = method
        return FAULTS[plan.kind](lambda: real(obj, method, params, options))

    setattr(connection, SEAM, send)
    try:
        yield
    finally:
        setattr(connection, SEAM, real)


def choose(seed: int, messages: int) -> Plan:
    """The fault of a seed, for an operation that sends about so many messages."""
    chance = random.Random(seed)
    return Plan(kind=chance.choice(sorted(FAULTS)), at=chance.randint(1, max(1, messages)))


LIMITS = BrowserLimits(navigation_timeout_s=4, action_timeout_s=2, observation_timeout_s=2)
WORKERS = 6
PATIENCE_S = 120.0

PAGE = """<title>Faults</title><script>
const seen = {};
const note = (name) => { seen[name] = (seen[name] || 0) + 1 };
const post = (name) => { note(name); fetch(location.pathname + '/' + name, {method: 'POST'}) };
</script>
<button onclick="post('click')">Press me</button> <a href="$/next">Go on</a>
<form method=post action="$/order"><button>Order</button></form>
<input aria-label=Name oninput="note('name')"> <input aria-label=Letters>
<input aria-label=Keys onkeydown="note('key')">
<select aria-label=Colour onchange="note('colour')"><option>red<option>green</select>
<label><input type=checkbox onchange="note('agree')">Agree</label>
<label><input type=checkbox checked onchange="note('news')">News</label>
<button onmouseenter="note('hover')">Warm</button>
<div role=button tabindex=0 draggable=true aria-label=Card
  ondragstart="event.dataTransfer.setData('text/plain', 'card')">card</div>
<div role=button tabindex=0 aria-label=Box style="height:60px" ondragover="event.preventDefault()"
  ondrop="event.preventDefault(); note('drop')">box</div>
<input type=file aria-label=File onchange="note('file')">
<div style="height:4000px"></div>"""


@dataclass(frozen=True, kw_only=True)
class Act:
    """An action, and how to tell without the product how often it happened.

    ``counted`` is asked of the page, ``posted`` of the server (a path below the page's).
    """

    does: Callable[[Session, str], Awaitable[Result]]
    target: str = ""
    counted: str = ""
    posted: str = ""
    method: str = "POST"
    repeats: bool = False


@dataclass(eq=False)
class Tally:
    """What came of all cases."""

    wrong: list[str] = field(default_factory=list[str])
    statuses: Counter[str] = field(default_factory=Counter[str])
    fired: Counter[str] = field(default_factory=Counter[str])


@pytest.fixture
async def faulty(
    anyio_backend: str, local_web: UrlPolicy, upload_dir: Path
) -> AsyncIterator[Browser]:
    assert anyio_backend == "asyncio"
    async with Browser.launch(local_web, LIMITS, robots=False, upload_dirs=[upload_dir]) as browser:
        with faults_of(browser):
            yield browser


def acts(file: Path) -> dict[str, Act]:
    """Every action, by name."""

    async def drag(session: Session, ref: str) -> Result:
        return await session.drag(ref, await find(session, "Box"))

    return {
        "click": Act(
            does=lambda s, r: s.click(r), target="Press me", counted="seen.click", posted="/click"
        ),
        "order": Act(does=lambda s, r: s.click(r), target="Order", posted="/order"),
        "follow": Act(does=lambda s, r: s.click(r), target="Go on", posted="/next", method="GET"),
        "fill": Act(
            does=lambda s, r: s.fill(r, "words"),
            target="Name",
            counted="+(field('Name') == 'words')",
        ),
        "type": Act(
            does=lambda s, r: s.type(r, "abc", slowly=True),
            target="Letters",
            counted="+(field('Letters') == 'abc')",
        ),
        "press": Act(does=lambda s, r: s.press("x", ref=r), target="Keys", counted="seen.key"),
        "select": Act(
            does=lambda s, r: s.select(r, ["green"]), target="Colour", counted="seen.colour"
        ),
        "check": Act(does=lambda s, r: s.check(r), target="Agree", counted="seen.agree"),
        "uncheck": Act(does=lambda s, r: s.check(r, False), target="News", counted="seen.news"),
        "hover": Act(
            does=lambda s, r: s.hover(r), target="Warm", counted="seen.hover", repeats=True
        ),
        "drag": Act(does=drag, target="Card", counted="seen.drop"),
        "drop": Act(
            does=lambda s, r: s.drop(r, data={"text/plain": "x"}), target="Box", counted="seen.drop"
        ),
        "scroll": Act(does=lambda s, _: s.scroll("down"), counted="+(scrollY > 0)", repeats=True),
        "upload": Act(
            does=lambda s, r: s.upload([str(file)], ref=r), target="File", counted="seen.file"
        ),
    }


async def find(session: Session, name: str) -> str:
    """The ref of a name, however often it takes."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            found = (await session.find(name)).to_dict()
            matches = cast("dict[str, list[dict[str, str]]]", found.get("data") or {})
            refs = [one["ref"] for one in matches.get("matches", []) if one.get("ref")]
            if refs:
                return refs[0]


async def arrive(session: Session, url: str) -> None:
    """Go there without a fault: every session can be used after whatever happened."""
    async with asyncio.timeout(PATIENCE_S):
        while not (await session.navigate(url)).is_complete:
            pass


async def happened(session: Session, act: Act, site: FixtureSite, path: str) -> int:
    """How often the action took place, by the page itself or by the server."""
    if act.posted:
        return site.count(path + act.posted, method=act.method)
    tab = session._core.tabs.current
    assert tab is not None
    script = (
        "() => { const field = (n) => document.querySelector(`[aria-label=${n}]`).value;"
        f" return ({act.counted}) || 0 }}"
    )
    async with asyncio.timeout(PATIENCE_S):
        return int(cast("int", await tab.page.evaluate(script)))


async def run_case(session: Session, act: Act, site: FixtureSite, path: str, plan: Plan) -> Result:
    site.page(path, PAGE.replace("$", path))
    await arrive(session, site.at(path))
    ref = await find(session, act.target) if act.target else ""

    async def work() -> Result:
        PLAN.set(plan)
        return await act.does(session, ref)

    async with asyncio.timeout(PATIENCE_S):
        return await asyncio.create_task(work())


def judge(result: Result, times: int, act: Act) -> str | None:
    """What is wrong with a Result, given how often the action took place."""
    if result.status is Status.OK and times == 0:
        return "ok, and nothing happened"
    if times > 1 and not act.repeats:
        return f"it happened {times} times"
    if times and result.effect is Effect.NOT_DISPATCHED:
        return "not dispatched, and it happened"
    if times and result.error_code in ("no_effect", "internal"):
        return f"{result.error_code}, and it happened"
    if result.status is not Status.OK and not result.error_code:
        return "no code"
    return None


async def test_faults_at_the_drivers_boundary(
    faulty: Browser, site: FixtureSite, upload_dir: Path, long_run: bool
) -> None:
    file = upload_dir / "fault.txt"
    file.write_text("words")
    known, tally, seeds = acts(file), Tally(), iter(range(2_000 if long_run else 60))

    @site.route("/case/*")
    async def _case(_: Request) -> Response:
        return Response.html("<p>done</p>")

    async def work() -> None:
        async with faulty.session() as session:
            for seed in seeds:
                name = sorted(known)[seed % len(known)]
                act, path, plan = known[name], f"/case/{seed}", choose(seed, 14)
                result = await run_case(session, act, site, path, plan)
                times = await happened(session, act, site, path)
                problem = judge(result, times, act)
                if problem is not None:
                    tally.wrong.append(
                        f"{seed} {name}: {plan.kind} at {plan.at} {plan.method}: "
                        f"{result.status} {result.error_code} {result.effect}: {problem}"
                    )
                tally.statuses[str(result.status)] += 1
                if plan.fired:
                    tally.fired[plan.kind] += 1

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    assert tally.wrong == []
    assert sum(tally.fired.values()) >= sum(tally.statuses.values()) / 4
    assert set(tally.fired) == set(FAULTS)
    assert set(tally.statuses) >= {"ok", "unknown", "error"}
