"""All frames of a page at once: asking them, sharing the bound, putting answers in place.

Owns the tree of frames of one observation. A frame that is gone, hangs or is not visible becomes
a note of coverage, never an error; only the top frame's silence is one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from playwright.async_api import Error as PlaywrightError

from browser_agent._urls import origin_of
from browser_agent.browser.observer_engine import Answer, FrameLost, ask, ref_selector
from browser_agent.browser.observer_types import Coverage, FrameNote, ObserverError
from browser_agent.logic.snapshot import FramePart

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from playwright.async_api import Frame

    from browser_agent.browser.observer_refs import RefTable

FRAMES = 64
_LEAST_BYTES = 2_000
_TOP_SHARE = 0.75
_SHADOW_S = 1.0


@dataclass(slots=True, kw_only=True)
class Seen:
    """One frame, its answer or why there is none, and the frames found in it."""

    frame: Frame
    answer: Answer | None = None
    reason: str = ""
    inner: dict[int, Seen] = field(default_factory=dict[int, "Seen"])

    @property
    def sent(self) -> int:
        """The bytes that left the page for this frame."""
        return self.answer.sent if self.answer else 0

    @property
    def slots(self) -> list[Mapping[str, object]]:
        """The frame elements of its document, in order."""
        if self.answer is None:
            return []
        return cast("list[Mapping[str, object]]", self.answer.list("frames"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The answer of a top frame with those of the frames below it, and every frame asked."""

    top: Seen
    asked: Mapping[Frame, Seen]
    missed: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request that goes to every frame alike, within ``timeout_s``.

    ``prepare`` is awaited when the top frame says that it must know more first.
    """

    op: str
    call: Mapping[str, object]
    timeout_s: float
    frame_timeout_s: float
    capture_bytes: int
    prepare: Callable[[], Awaitable[None]] | None = None


async def ask_all(top: Frame, asked: Asked) -> Tree:
    """Ask a frame and all below it, and link the answers. ObserverError when the top is silent."""
    every = _tree_of(top)
    frames = every[:FRAMES]
    shares = _shares(len(frames), asked.capture_bytes)
    seen = await asyncio.gather(
        *(
            _ask_one(one, asked, limit, is_top=one is top)
            for one, limit in zip(frames, shares, strict=True)
        )
    )
    first = seen[0]
    if first.answer is None:
        raise top_lost(first.reason)
    await _ask_again(seen, asked)
    await _link(seen)
    asked_frames = {one.frame: one for one in seen}
    return Tree(top=first, asked=asked_frames, missed=tuple(every[FRAMES:]))


def top_lost(reason: str) -> ObserverError:
    """The error for a top frame that did not answer."""
    if reason == "crashed":
        return ObserverError("page_crashed", "The page has crashed.")
    if reason in ("closed", "detached"):
        return ObserverError("page_closed", "The page is closed.")
    if reason.startswith("engine"):
        return ObserverError("internal", "The page could not be read.")
    return ObserverError("observation_timeout", "The page did not answer in time.")


def _tree_of(top: Frame) -> list[Frame]:
    found = [top]
    for frame in found:
        found.extend(child for child in frame.child_frames if not child.is_detached())
    return found


def _shares(count: int, capture_bytes: int) -> list[int]:
    """The bytes that each frame may send; together they stay within the bound."""
    if count == 1:
        return [capture_bytes]
    top = int(capture_bytes * _TOP_SHARE)
    each = (capture_bytes - top) // (count - 1)
    return [top, *[each] * (count - 1)]


async def _ask_one(frame: Frame, asked: Asked, limit: int, *, is_top: bool) -> Seen:
    timeout_s = asked.timeout_s if is_top else min(asked.frame_timeout_s, asked.timeout_s)
    call = {**asked.call, "limit": limit} if is_top else {**asked.call, "limit": limit, "root": 0}
    try:
        if is_top and asked.prepare is not None:
            answer = await ask(frame, asked.op, timeout_s=timeout_s, ask=1, **call)
            if not answer.head.get("ask"):
                return Seen(frame=frame, answer=answer)
            await asked.prepare()
        answer = await ask(frame, asked.op, timeout_s=timeout_s, **call)
    except FrameLost as lost:
        return Seen(frame=frame, reason=lost.reason)
    return Seen(frame=frame, answer=answer)


async def _ask_again(seen: list[Seen], asked: Asked) -> None:
    """Give what the bound still admits to inner frames that were cut."""
    left = asked.capture_bytes - sum(one.sent for one in seen)
    short = [one for one in seen[1:] if one.answer and one.answer.number("lost")]
    if not short or left < _LEAST_BYTES * len(short):
        return
    share = left // len(short)
    again = await asyncio.gather(
        *(_ask_one(one.frame, asked, share, is_top=False) for one in short)
    )
    for one, fresh in zip(short, again, strict=True):
        if fresh.sent > one.sent:
            one.answer = fresh.answer


async def _link(seen: list[Seen]) -> None:
    """Find the element of each inner frame, by its index among its parent's windows."""
    by_frame = {one.frame: one for one in seen}
    hidden: list[tuple[Seen, Seen]] = []
    for one in seen[1:]:
        parent = by_frame.get(one.frame.parent_frame) if one.frame.parent_frame else None
        if parent is None or one.answer is None:
            continue
        place = _place_of(parent, one.answer.number("slot"))
        if place is None:
            hidden.append((parent, one))
        else:
            parent.inner[place] = one
    if hidden:
        await _link_by_element(hidden)


def _place_of(parent: Seen, slot: int) -> int | None:
    """The number of the frame element that has this window index."""
    if slot < 0:
        return None
    for known in parent.slots:
        if known.get("slot") == slot:
            return cast("int", known["ref"])
    return None


async def _link_by_element(pairs: list[tuple[Seen, Seen]]) -> None:
    """Frames in shadow trees have no index: ask the frame elements for their frames."""
    by_frame = {child.frame: (parent, child) for parent, child in pairs}
    parents = list({id(parent): parent for parent, _ in pairs}.values())
    for parent in parents:
        for known in parent.slots:
            if known.get("slot") != -1 or not known.get("visible"):
                continue
            place = cast("int", known["ref"])
            frame = await _frame_at(parent, place)
            if frame in by_frame and by_frame[frame][0] is parent:
                parent.inner[place] = by_frame[frame][1]


async def _frame_at(parent: Seen, number: int) -> Frame | None:
    if parent.answer is None:
        return None
    selector = ref_selector(parent.answer.document, number)
    try:
        handle = await parent.frame.locator(selector).element_handle(timeout=_SHADOW_S * 1000)
        frame = await handle.content_frame()
        await handle.dispose()
    except PlaywrightError:
        return None
    return frame


def _visible_inner(seen: Seen) -> list[tuple[int, Seen]]:
    """Frames inside that can be seen, in page order, by the number of their element."""
    places = [cast("int", known["ref"]) for known in seen.slots if known.get("visible")]
    return [(place, seen.inner[place]) for place in places if place in seen.inner]


def part_of(seen: Seen, numbering: Callable[[Seen], Callable[[int], str]]) -> FramePart:
    """The parts to stitch: visible frames only."""
    inner = {place: part_of(one, numbering) for place, one in _visible_inner(seen)}
    body = seen.answer.body if seen.answer else ""
    return FramePart(body=body, number=numbering(seen), inner=inner, origin=_foreign(seen.frame))


def _foreign(frame: Frame) -> str:
    """The origin of a frame whose parent is of another one; documents without a URL inherit it."""
    around = frame.parent_frame
    if around is None or frame.url.startswith("about:") or not frame.url:
        return ""
    own = origin_of(frame.url) or frame.url.partition(":")[0] + ":"
    while around.url.startswith("about:") and around.parent_frame is not None:
        around = around.parent_frame
    return "" if own == origin_of(around.url) else own


def shown_frames(seen: Seen) -> list[Seen]:
    """The frame and all visible ones below it, in page order."""
    found = [seen]
    for _, one in _visible_inner(seen):
        found.extend(shown_frames(one))
    return found


def coverage_of(tree: Tree) -> Coverage:
    """What was looked at and what was not, over the frames of a page."""
    shown = shown_frames(tree.top)
    shown_set = {one.frame for one in shown}
    left = [one for one in tree.asked.values() if one.frame not in shown_set]
    notes = [_note(one.frame, one.reason or "not visible") for one in left]
    notes += [_note(frame, "too many frames") for frame in tree.missed[:100]]
    answers = [one.answer for one in shown if one.answer]
    return Coverage(
        frames_inspected=tuple(_note(one.frame, "") for one in shown),
        frames_not_inspected=tuple(notes),
        possibly_closed=tuple(
            dict.fromkeys(str(tag) for one in answers for tag in one.list("closed"))
        ),
        bytes_captured=sum(answer.sent for answer in answers),
        bytes_not_captured=sum(answer.number("lost") for answer in answers),
        nodes_not_inspected=sum(answer.number("unseen") for answer in answers),
    )


def _note(frame: Frame, reason: str) -> FrameNote:
    return FrameNote(url=frame.url[:2_000], name=frame.name[:200], reason=reason)


def numbering_of(refs: RefTable, owner: object) -> Callable[[Seen], Callable[[int], str]]:
    """How refs of each frame are numbered in a session."""

    def numbering(seen: Seen) -> Callable[[int], str]:
        document = seen.answer.document if seen.answer else ""
        return refs.numbering(owner, seen.frame, document)

    return numbering
