"""Scrolling: by a page, to an edge, to an element, to a text; endless lists up to a bound.

Owns the bound and what is sent. Script scrolls at once, without the animation that pages may ask
for; pages see the same scroll events as from a wheel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from browser_agent.browser.aim import looking, take_aim
from browser_agent.browser.hand import Answer, Place, ask
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.stage import check_type
from browser_agent.browser.verdict import ValueCheck
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.browser.trace import Trace
    from browser_agent.records.result import Result

WAYS = ("down", "up", "left", "right", "top", "bottom")
MOST_STEPS = 30
"""An endless list is scrolled at most so many times in one call."""
KEEP_S = 1.5
"""What a search by scrolling leaves of its time for the look at the page."""


class Scrolling:
    """Scrolling in one session."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def scroll(
        self, direction: str, *, ref: str | None, to_text: str | None, amount: int | None
    ) -> Result:
        """Scroll the page, or the scrollable part that holds ``ref``.

        ``ref`` without ``amount`` and with direction ``down`` brings the element itself into
        view when it is not. ``to_text`` scrolls on until the text is in view.
        """
        check_type(direction, str, "direction")
        for name, value, wanted in (
            ("ref", ref, str),
            ("to_text", to_text, str),
            ("amount", amount, int),
        ):
            if value is not None:
                check_type(value, wanted, name)

        async def act(op: Operation) -> Outcome:
            if direction not in WAYS:
                fail(ErrorCode.INVALID_INPUT, f"direction must be one of {', '.join(WAYS)}.")
            aim = await take_aim(op, self._stage.core, ref) if ref is not None else None
            place = aim.place if aim is not None else Place(frame=op.tab.page.main_frame)
            trace = await self._stage.witness.begin(op)
            trace.aim = aim
            if to_text is None:
                send = self._once(op, trace, place, direction, amount)
                return await self._stage.perform(op, trace, send)
            send = self._to_text(op, trace, place, to_text)
            outcome = await self._stage.perform(op, trace, send)
            if outcome.code is None and not trace.extra.get("found"):
                _not_found(to_text, trace)
            return outcome

        return await self._stage.run("scroll", act)

    async def _once(
        self, op: Operation, trace: Trace, place: Place, direction: str, amount: int | None
    ) -> None:
        if place.selector and direction == "down" and amount is None:
            shown = await ask(op, place, "reveal")
            if shown["moved"] or not shown["scrolls"]:
                _note(trace, shown)
                return
        _note(trace, await _step(op, place, direction, amount))

    async def _to_text(self, op: Operation, trace: Trace, place: Place, text: str) -> None:
        moved = False
        for step in range(MOST_STEPS + 1):
            found = await ask(op, place, "text", text=text)
            if found["found"]:
                trace.extra = {"found": True, "steps": step}
                _note(trace, {"moved": moved or found["moved"]})
                return
            went = await _step(op, place, "bottom" if step else "down", None)
            moved = moved or bool(went["moved"])
            trace.extra = {"found": False, "steps": step}
            await looking(op, self._stage.core.observer(op.tab).settle(quiet_ms=60, limit_s=0.5))
            grown = await ask(op, place, "scroll", direction="down", amount=0)
            at_end = not went["moved"] and grown["height"] == went["height"]
            if at_end or op.remaining_s() < KEEP_S:
                break
        _note(trace, {"moved": moved})


async def _step(op: Operation, place: Place, direction: str, amount: int | None) -> Answer:
    if direction in ("top", "bottom"):
        return await ask(op, place, "scroll", edge=direction)
    return await ask(op, place, "scroll", direction=direction, amount=amount)


def _note(trace: Trace, answer: Answer) -> None:
    """A position that was read back is the acknowledgement of a scroll."""
    trace.value_check = ValueCheck.MATCHES
    trace.moved = bool(answer["moved"])
    if "position" in answer:
        trace.extra = trace.extra | {"position": answer["position"], "room": answer["room"]}


def _not_found(text: str, trace: Trace) -> None:
    steps = trace.extra.get("steps")
    fail(
        ErrorCode.NOT_FOUND,
        f"'{text[:80]}' did not come into view in {steps} steps.",
        data=trace.data(changed=trace.moved),
    )
