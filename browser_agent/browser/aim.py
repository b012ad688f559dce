"""From a ref to a place that input can be sent to: resolving, waiting until it can be acted on.

Owns the tests before a dispatch: nothing here sends input, so whatever fails here is
``not_dispatched`` (:func:`spot_under_mouse`, which follows a dispatch, does not fail). A covered
element fails at once and names what covers it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, cast

from browser_agent.browser.hand import Answer, Place, ask, exists, go
from browser_agent.browser.observer_types import ObserverError
from browser_agent.browser.outcome import OperationFailed, fail
from browser_agent.logic.refs import parse_ref
from browser_agent.records.codes import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import TypeVar

    from playwright.async_api import Frame

    from browser_agent.browser.core import Core
    from browser_agent.browser.observer_types import Described
    from browser_agent.browser.operation import Operation

    T = TypeVar("T")

PATIENCE_S = 2.0
"""How long a hidden, disabled or moving element may take to become usable."""
COVER_PATIENCE_S = 0.2
"""How long a cover may take to go away; most do not, and waiting helps nobody."""
STEADY_S = 1.0
"""How long an element that moves without an animation is waited for before it is aimed at."""
UNDER_MOUSE_S = 0.5
"""How long an element that the mouse itself has changed is waited for before it is pressed."""
_BRIEF = frozenset({"covered", "outside", "through"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """An element that a ref names, and what it was when the operation began."""

    ref: str
    place: Place
    described: Described

    @property
    def locator(self) -> dict[str, object]:
        """What a Result says was looked at."""
        found: dict[str, object] = {
            "scope": "element",
            "ref": self.ref,
            "role": self.described.role,
            "name": self.described.name[:200],
        }
        if self.place.frame.parent_frame is not None:
            found["frame"] = self.place.frame.url
        return found

    @property
    def shown(self) -> str:
        """Ref, role and name, for messages."""
        name = f' "{self.described.name[:60]}"' if self.described.name else ""
        return f"{self.ref} ({self.described.role or self.described.tag}{name})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where input for an element goes: a point of the page's viewport, in CSS pixels."""

    x: float
    y: float
    facts: Answer = field(repr=False)


async def take_aim(op: Operation, core: Core, ref: str) -> Aim:
    """Resolve a ref; ends the operation as ``ref_stale`` or ``ref_not_found``."""
    name = parse_ref(ref)
    observer = core.observer(op.tab)
    target, described = await looking(
        op, asyncio.gather(observer.resolve(name), observer.describe(name))
    )
    known = target.state == "ok" or core.refs.was_issued(name)
    if "stale" in (target.state, described.state) or (known and described.state == "unknown"):
        fail(ErrorCode.REF_STALE, f"The element of {name} is gone from this page.")
    if target.frame is None or described.state != "ok":
        fail(ErrorCode.REF_NOT_FOUND, f"No snapshot of this page showed '{name[:20]}'.")
    place = Place(frame=target.frame, selector=target.selector)
    aim = Aim(ref=name, place=place, described=described)
    op.locator = aim.locator
    return aim


async def looking(op: Operation, work: Awaitable[T]) -> T:
    """Await a look at the page; the observer's own failures become outcomes."""
    try:
        return await op.call(work)
    except ObserverError as error:
        code = ErrorCode(error.code)
        if code is ErrorCode.OBSERVATION_TIMEOUT:
            raise TimeoutError from None
        fail(code, str(error))


async def find_spot(
    op: Operation, core: Core, aim: Aim, *, scroll: bool = True, or_label: bool = False
) -> Spot:
    """Wait, within bounds, until a click would reach the element, and say where to send it.

    ``or_label``: a checkbox or radio button that is hidden behind its label is aimed at there.
    """
    waiting = _Waiting(op, core, aim)
    where, last = aim.place, None
    while True:
        facts = await ask(op, where, "prepare", scroll=scroll)
        problem = await _problem(op, where, facts, last)
        if problem is None:
            return await _spot(op, where, facts)
        if or_label and facts["type"] in ("checkbox", "radio"):
            or_label, label = False, go(where, "label")
            if await exists(op, label):
                where = label
                continue
        last = facts
        await waiting.go_on(problem)


async def find_field(op: Operation, core: Core, aim: Aim) -> Answer:
    """Wait, within bounds, until the element can take the focus; gives what it is.

    What merely lies over a field does not keep keys from it, so it is no problem here.
    """
    waiting = _Waiting(op, core, aim)
    while True:
        facts = await ask(op, aim.place, "prepare", scroll=True)
        found = cast("str | None", facts.get("problem"))
        if found != "hidden" and not facts["disabled"]:
            return facts
        await waiting.go_on(_explain(found, facts) if found == "hidden" else _DISABLED)


class _Waiting:
    """The patience with one element; each kind of problem has its own."""

    def __init__(self, op: Operation, core: Core, aim: Aim) -> None:
        self._op, self._core, self._aim = op, core, aim
        self._began = asyncio.get_running_loop().time()

    async def go_on(self, problem: _Problem) -> None:
        """Wait for the page to move on, or end the operation as ``not_actionable``."""
        op, patience = self._op, COVER_PATIENCE_S if problem.brief else PATIENCE_S
        waited_s = asyncio.get_running_loop().time() - self._began
        if waited_s >= min(patience, op.remaining_s() / 2):
            words = f"{self._aim.shown} {problem.words}"
            fail(ErrorCode.NOT_ACTIONABLE, words, hint=problem.hint)
        await looking(op, self._core.observer(op.tab).settle(quiet_ms=30, limit_s=0.1))


async def steady_spot(op: Operation, core: Core, aim: Aim, first: Spot) -> Spot:
    """Aim a second time; an element that script moves is followed until it rests or time is up."""
    end = asyncio.get_running_loop().time() + min(STEADY_S, op.remaining_s() / 2)
    while True:
        spot = await find_spot(op, core, aim, or_label=True)
        far = abs(spot.x - first.x) + abs(spot.y - first.y)
        if far <= 1 or asyncio.get_running_loop().time() >= end:
            return spot
        first = spot


async def spot_under_mouse(op: Operation, core: Core, aim: Aim, spot: Spot) -> Spot:
    """Aim again now that the mouse is there: a hover style may move or shrink what it styles.

    Where the element does not come back the old spot stands; what was hit is seen afterwards.
    """
    limit_s = min(UNDER_MOUSE_S, op.remaining_s() / 2)
    try:
        async with asyncio.timeout(limit_s):
            return await find_spot(op, core, aim, scroll=False, or_label=True)
    except (OperationFailed, TimeoutError):
        return spot


@dataclass(frozen=True, slots=True, kw_only=True)
class _Problem:
    words: str
    brief: bool = False
    hint: str | None = None


_DISABLED = _Problem(words="is disabled.", hint="Something else must be done first.")


async def _problem(
    op: Operation, where: Place, facts: Answer, last: Answer | None
) -> _Problem | None:
    found = cast("str | None", facts.get("problem"))
    if found is not None:
        return _explain(found, facts)
    if facts["disabled"]:
        return _DISABLED
    if facts["moving"] and (last is None or last.get("rect") != facts["rect"]):
        return _Problem(words="is still moving.")
    if where.frame.parent_frame is None:
        return None
    return await _frame_problem(op, where, facts)


def _explain(problem: str, facts: Mapping[str, object]) -> _Problem:
    words = {
        "hidden": "is not visible.",
        "outside": "cannot be scrolled into view.",
        "through": "lets clicks through to what is behind it (pointer-events: none).",
    }
    if problem == "covered":
        hint = "Close or move what covers it first, or act on that instead."
        return _Problem(words=f"is covered by {facts.get('cover')}.", brief=True, hint=hint)
    return _Problem(words=words[problem], brief=problem in _BRIEF)


async def _frame_problem(op: Operation, where: Place, facts: Answer) -> _Problem | None:
    """Whether something of the page itself covers the frame at that point."""
    hit = await _hit_of_page(op, where, facts)
    if not hit["tag"]:
        frame = await op.call(_outermost(where.frame).frame_element())
        await op.call(frame.scroll_into_view_if_needed(timeout=op.remaining_ms()))
        hit = await _hit_of_page(op, where, facts)
    if hit["tag"] in ("iframe", "frame", "object", "embed"):
        return None
    if not hit["tag"]:
        return _Problem(words="stands in a frame that cannot be scrolled into view.", brief=True)
    return _Problem(words=f"stands in a frame that {hit['cover']} covers.", brief=True)


async def _hit_of_page(op: Operation, where: Place, facts: Answer) -> Answer:
    """What of the page itself is at the element's point; no tag where that is out of view."""
    spot = await _spot(op, where, facts)
    return await ask(op, Place(frame=op.tab.page.main_frame), "hit", x=spot.x, y=spot.y)


def _outermost(frame: Frame) -> Frame:
    while frame.parent_frame is not None and frame.parent_frame.parent_frame is not None:
        frame = frame.parent_frame
    return frame


async def _spot(op: Operation, where: Place, facts: Answer) -> Spot:
    x, y = cast("list[float]", facts["point"])
    if where.frame.parent_frame is None:
        return Spot(x=x, y=y, facts=facts)
    locator = where.frame.locator(where.selector)
    box = await op.call(locator.bounding_box(timeout=op.remaining_ms()))
    if box is None:
        _vanished()
    left, top, *_ = cast("list[float]", facts["rect"])
    return Spot(x=x + box["x"] - left, y=y + box["y"] - top, facts=facts)


def _vanished() -> NoReturn:
    fail(ErrorCode.REF_STALE, "The element went away while it was being aimed at.")
