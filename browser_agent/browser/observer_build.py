"""Records made of a tree of answers: an observation, the lines of a change.

Pure but for the numbering of refs. It asks nothing of a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from browser_agent.browser.observer_frames import coverage_of, part_of, shown_frames
from browser_agent.browser.observer_types import Changes, Observation
from browser_agent.logic.snapshot import Kind, number_refs, stitch

if TYPE_CHECKING:
    from browser_agent.browser.observer_frames import Seen, Tree

Numbering = Callable[["Seen"], Callable[[int], str]]
_KINDS: Mapping[str, Kind] = {"text": "text", "html": "html"}
_FRAME_MARK = re.compile("\x01[0-9]+ ?")


@dataclass(slots=True)
class _Notes:
    """What is gathered over the frames of one observation."""

    refs: list[str] = field(default_factory=list[str])
    attributes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    flags: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, seen: Seen, number: Callable[[int], str], shown: frozenset[str]) -> None:
        """Take over what one frame says of its refs and of what it left out."""
        if seen.answer is None:
            return
        extras = cast("dict[str, dict[str, str]]", seen.answer.head.get("attributes") or {})
        for local, extra in extras.items():
            ref = number(int(local))
            if ref in shown:
                self.attributes[ref] = extra
        flags = cast("dict[str, int]", seen.answer.head.get("flags") or {})
        for name, value in flags.items():
            if value:
                self.flags[name] = self.flags.get(name, 0) + value


def build_observation(
    tree: Tree, numbering: Numbering, *, mode: str, baseline: str = ""
) -> Observation:
    """One observation of all visible frames."""
    top = tree.top.answer
    assert top is not None
    notes = _Notes()

    def collecting(seen: Seen) -> Callable[[int], str]:
        number, refs = numbering(seen), notes.refs

        def numbered(local: int) -> str:
            ref = number(local)
            refs.append(ref)
            return ref

        return numbered

    text = stitch(part_of(tree.top, collecting), _KINDS.get(mode, "snapshot"))
    refs = tuple(dict.fromkeys(notes.refs))
    shown, seen_refs = shown_frames(tree.top), frozenset(refs)
    for seen in shown:
        notes.add(seen, numbering(seen), seen_refs)
    return Observation(
        text=text,
        title=top.text("title"),
        url=top.text("url"),
        language=top.text("lang"),
        mode=mode,
        refs=refs,
        attributes=notes.attributes,
        flags=notes.flags,
        coverage=coverage_of(tree),
        elements=sum(seen.answer.number("elements") for seen in shown if seen.answer),
        baseline=baseline,
        stated=tuple((str(name), str(date)) for name, date in _pairs(top.list("stated"))),
    )


def _pairs(items: list[object]) -> list[tuple[object, object]]:
    return cast("list[tuple[object, object]]", items)


def build_changes(tree: Tree, numbering: Numbering, *, baseline: str) -> Changes:
    """The changed lines of all visible frames."""
    top = tree.top.answer
    if top is None or top.head.get("missing"):
        return Changes(lost=True, baseline=baseline)
    added: list[str] = []
    removed: list[str] = []
    cut = 0
    for seen in shown_frames(tree.top):
        if seen.answer is None:
            continue
        if seen.answer.head.get("missing"):
            added.append("frame (new document)")
        number = numbering(seen)
        added += _lines(seen.answer.list("added"), number)
        removed += _lines(seen.answer.list("removed"), number)
        cut += seen.answer.number("cut")
    return Changes(added=tuple(added), removed=tuple(removed), cut=cut, baseline=baseline)


def _lines(pairs: list[object], number: Callable[[int], str]) -> list[str]:
    found: list[str] = []
    for place, line in cast("list[tuple[str, str]]", pairs):
        whole = f"{place}: {line}" if place else line
        found.append(_FRAME_MARK.sub("", number_refs(whole, number)))
    return found
