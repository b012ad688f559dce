"""Waiting for what the page does by itself: a text, its end, an element, a URL, a load, a time.

Owns the conditions. The page's content does not come along: a wait tells only that it is over.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, cast

from browser_agent.browser.aim import take_aim
from browser_agent.browser.hand import Place, ask
from browser_agent.browser.operation import Kind
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.errors import InvalidInput
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.core import Core
    from browser_agent.browser.operation import Operation
    from browser_agent.records.result import Result

MOST_TIME_S = 60.0
FRAMES = 20
_STATES = ("load", "domcontentloaded", "networkidle")
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.25

Condition = Callable[["Operation"], Awaitable[bool]]


class Waiting:
    """Waits of one session."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def wait_for(
        self,
        *,
        text: str | None = None,
        text_gone: str | None = None,
        ref: str | None = None,
        url: str | None = None,
        load: str | None = None,
        time_s: float | None = None,
    ) -> Result:
        """Wait for exactly one thing; ``wait_timeout`` when it does not come in an action's time.

        ``url``: the whole URL, a part of it, or a pattern with ``*``. ``load``: load,
        domcontentloaded or networkidle. ``time_s``: at most a minute.
        """
        words = {"text": text, "text_gone": text_gone, "ref": ref, "url": url, "load": load}
        given = [name for name, value in words.items() if value is not None]
        for name in given:
            if not isinstance(words[name], str):
                raise InvalidInput(f"{name} must be a string")
        if time_s is not None:
            return await self._time(time_s, alone=not given)
        if len(given) != 1:
            raise InvalidInput("give exactly one of text, text_gone, ref, url, load, time_s")
        name, value = given[0], cast("str", words[given[0]])
        return await self._run(lambda op: self._wait(op, name, value))

    async def _wait(self, op: Operation, name: str, value: str) -> Outcome:
        if name == "load":
            await _load(op, value)
        elif name == "ref":
            aim = await take_aim(op, self._core, value)
            await _until(op, lambda op: _is_shown(op, aim.place))
        elif name == "url":
            await _until(op, lambda op: _is_at(op, value))
        else:
            wanted = name == "text"
            await _until(op, lambda op: _holds(op, value, wanted=wanted))
        return Outcome(data={"met": name})

    async def _time(self, time_s: float, *, alone: bool) -> Result:
        if isinstance(time_s, bool) or not isinstance(time_s, int | float):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without a checker
            raise InvalidInput("time_s must be a number of seconds")
        if not alone:
            raise InvalidInput("give time_s alone")

        async def act(_: Operation) -> Outcome:
            if not 0 <= time_s <= MOST_TIME_S:
                fail(ErrorCode.INVALID_INPUT, f"time_s must be from 0 to {MOST_TIME_S:g}.")
            await asyncio.sleep(time_s)
            return Outcome(data={"met": "time", "waited_s": round(float(time_s), 3)})

        limit_s = MOST_TIME_S + self._core.limits.action_timeout_s
        kind = Kind("wait_for", limit_s, ErrorCode.WAIT_TIMEOUT, on_page=False)
        return await self._core.run(kind, act)

    async def _run(self, body: Callable[[Operation], Awaitable[Outcome]]) -> Result:
        began = asyncio.get_running_loop().time()

        async def act(op: Operation) -> Outcome:
            outcome = await body(op)
            waited_s = asyncio.get_running_loop().time() - began
            return Outcome(data={**(outcome.data or {}), "waited_s": round(waited_s, 3)})

        limit_s = self._core.limits.action_timeout_s
        return await self._core.run(Kind("wait_for", limit_s, ErrorCode.WAIT_TIMEOUT), act)


async def _load(op: Operation, state: str) -> None:
    if state not in _STATES:
        fail(ErrorCode.INVALID_INPUT, f"load must be one of {', '.join(_STATES)}.")
    await op.call(op.tab.page.wait_for_load_state(state, timeout=op.remaining_ms()))


async def _until(op: Operation, condition: Condition) -> None:
    """Ask again and again, at growing distances, until the condition holds or time is up."""
    pause_s = _FIRST_PAUSE_S
    while not await condition(op):
        await op.call(asyncio.sleep(pause_s))
        pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)


async def _holds(op: Operation, text: str, *, wanted: bool) -> bool:
    """Whether any frame shows the text; a frame that goes away meanwhile shows nothing."""
    places = [Place(frame=frame) for frame in op.tab.page.frames[:FRAMES]]
    answers = await asyncio.gather(
        *(ask(op, place, "has", text=text) for place in places), return_exceptions=True
    )
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    if isinstance(answers[0], BaseException) or any(map(_is_cancelled, failed)):
        return False
    found = any(not isinstance(answer, BaseException) and answer["found"] for answer in answers)
    return found is wanted


def _is_cancelled(error: BaseException) -> bool:
    return isinstance(error, asyncio.CancelledError)


async def _is_shown(op: Operation, place: Place) -> bool:
    answer = await ask(op, place, "prepare", scroll=False)
    return answer.get("problem") != "hidden"


async def _is_at(op: Operation, wanted: str) -> bool:
    url = op.tab.page.url
    if "*" in wanted:
        pattern = ".*".join(re.escape(part) for part in re.split(r"\*+", wanted))
        return re.fullmatch(pattern, url) is not None
    return url == wanted or (wanted in url and "://" not in wanted)
