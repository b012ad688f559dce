"""Actions of the mouse: click, hover, drag; and setting a checkbox, switch or radio button.

Owns what is sent. Waiting for the element and judging the outcome are done elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from browser_agent.browser.aim import Aim, Spot, find_spot, spot_under_mouse, steady_spot, take_aim
from browser_agent.browser.hand import Answer, ask, exists, go
from browser_agent.browser.keys import modifier
from browser_agent.browser.mouse import move_to
from browser_agent.browser.outcome import Outcome, fail
from browser_agent.browser.stage import check_type, spoken
from browser_agent.browser.trace import Expected
from browser_agent.records.codes import Effect, ErrorCode

if TYPE_CHECKING:
    from playwright.async_api import Page

    from browser_agent.browser.operation import Operation
    from browser_agent.browser.stage import Stage
    from browser_agent.browser.tab import Tab
    from browser_agent.records.result import Result

Button = Literal["left", "right", "middle"]
BUTTONS = ("left", "right", "middle")
MOST_CLICKS = 3
PRESSES = ("pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu")
MOVES = ("pointerover", "mouseover", "pointermove", "mousemove", "pointerenter", "mouseenter")
DRAGS = ("pointerdown", "mousedown", "dragstart")
_DRAG_STEPS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """How the mouse is pressed; ``held`` are modifier keys in the browser's spelling."""

    button: Button = "left"
    count: int = 1
    held: tuple[str, ...] = ()


class Pointer:
    """The mouse of one session."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def click(self, ref: str, *, button: str, count: int, modifiers: Sequence[str]) -> Result:
        """Click at a point of the element that takes the click."""
        check_type(ref, str, "ref")
        check_type(button, str, "button")
        check_type(count, int, "count")
        for name in modifiers:
            check_type(name, str, "a modifier")

        async def act(op: Operation) -> Outcome:
            press = _press(button, count, modifiers)
            aim = await take_aim(op, self._stage.core, ref)
            return await self.press_at(op, aim, press)

        return await self._stage.run("click", act)

    async def press_at(
        self, op: Operation, aim: Aim, press: Press, *, expected: Expected | None = None
    ) -> Outcome:
        """Click an element that was aimed at already."""
        core, witness = self._stage.core, self._stage.witness
        first = await find_spot(op, core, aim, or_label=True)
        trace = await witness.begin(op, aim=aim, kinds=PRESSES)
        spot = await steady_spot(op, core, aim, first)

        async def send() -> None:
            await move_to(op.tab, spot.x, spot.y)
            await _click(op.tab.page, await spot_under_mouse(op, core, aim, spot), press)

        return await self._stage.perform(op, trace, send(), expected=expected)

    async def hover(self, ref: str) -> Result:
        """Move the mouse over the element."""
        check_type(ref, str, "ref")

        async def act(op: Operation) -> Outcome:
            core, witness = self._stage.core, self._stage.witness
            aim = await take_aim(op, core, ref)
            spot = await find_spot(op, core, aim)
            trace = await witness.begin(op, aim=aim, kinds=MOVES)
            return await self._stage.perform(op, trace, _hover(op.tab, spot))

        return await self._stage.run("hover", act)

    async def drag(self, start: str, end: str) -> Result:
        """Press at one element, move to another, release there."""
        check_type(start, str, "start")
        check_type(end, str, "end")

        async def act(op: Operation) -> Outcome:
            core, witness = self._stage.core, self._stage.witness
            target = await take_aim(op, core, end)
            source = await take_aim(op, core, start)
            await find_spot(op, core, target)
            from_spot = await find_spot(op, core, source)
            to_spot = await self._end_of_drag(op, target)
            trace = await witness.begin(op, aim=source, kinds=DRAGS)
            send = _drag(op.tab, from_spot, to_spot)
            return await self._stage.perform(op, trace, send)

        return await self._stage.run("drag", act)

    async def _end_of_drag(self, op: Operation, target: Aim) -> Spot:
        """Where to let go; both ends must be in view at the same time."""
        facts = await ask(op, target.place, "prepare", scroll=False)
        if facts.get("problem") == "outside":
            fail(
                ErrorCode.NOT_ACTIONABLE,
                f"{target.shown} cannot be in view together with the start of the drag.",
                hint="Make the view larger (resize) or scroll so that both are in view.",
            )
        return await find_spot(op, self._stage.core, target, scroll=False)

    async def check(self, ref: str, checked: bool) -> Result:
        """Bring a checkbox, switch or radio button to a state."""
        check_type(ref, str, "ref")
        check_type(checked, bool, "checked")

        async def act(op: Operation) -> Outcome:
            aim = await take_aim(op, self._stage.core, ref)
            return await self.check_aimed(op, aim, checked=checked)

        return await self._stage.run("check", act)

    async def check_aimed(self, op: Operation, aim: Aim, *, checked: bool) -> Outcome:
        """As :meth:`check`, for an element that was aimed at already."""
        place = aim.place
        facts = await ask(op, place, "read")
        if facts["tag"] == "label":
            place = go(place, "control")
            facts = await ask(op, place, "read") if await exists(op, place) else facts
        held = _checked(facts, aim)
        wanted = "true" if checked else "false"
        if held == wanted:
            data = {"changed": False, "value": held, "settled": True}
            return Outcome(data=data, effect=Effect.NONE)
        if not checked and _is_radio(facts):
            fail(
                ErrorCode.NOT_ACTIONABLE,
                f"{aim.shown} is a radio button, which cannot be unchecked.",
                hint="Check another button of its group instead.",
            )
        expected = Expected(place=place, value=wanted, key="checked")
        return await self.press_at(op, aim, Press(), expected=expected)


def _press(button: str, count: int, modifiers: Sequence[str]) -> Press:
    if button not in BUTTONS:
        fail(ErrorCode.INVALID_INPUT, f"button must be one of {', '.join(BUTTONS)}.")
    if not 1 <= count <= MOST_CLICKS:
        fail(ErrorCode.INVALID_INPUT, f"count must be from 1 to {MOST_CLICKS}.")
    held = tuple(spoken(modifier, name) for name in modifiers)
    return Press(button=button, count=count, held=held)


async def _click(page: Page, spot: Spot, press: Press) -> None:
    for key in press.held:
        await page.keyboard.down(key)
    try:
        await page.mouse.click(spot.x, spot.y, button=press.button, click_count=press.count)
    finally:
        for key in reversed(press.held):
            await page.keyboard.up(key)


async def _hover(tab: Tab, spot: Spot) -> None:
    await move_to(tab, spot.x - 1, spot.y)
    await tab.page.mouse.move(spot.x, spot.y, steps=2)


async def _drag(tab: Tab, start: Spot, end: Spot) -> None:
    """Several moves: pages want to see the distance grow before they take it for a drag."""
    mouse = tab.page.mouse
    await move_to(tab, start.x, start.y)
    await mouse.down()
    await mouse.move(start.x + (4 if end.x >= start.x else -4), start.y, steps=2)
    await mouse.move(end.x, end.y, steps=_DRAG_STEPS)
    await mouse.move(end.x, end.y)
    await mouse.up()


def _is_radio(facts: Answer) -> bool:
    return facts["type"] == "radio" or facts["role"] in ("radio", "menuitemradio")


def _checked(facts: Answer, aim: Aim) -> str:
    held = facts.get("checked")
    if held is None:
        hint = aim.described.hint
        fail(
            ErrorCode.NOT_ACTIONABLE,
            f"{aim.shown} is no checkbox, switch or radio button.",
            hint=f"Use {hint} instead." if hint else "Use click for other elements.",
        )
    return str(held)
