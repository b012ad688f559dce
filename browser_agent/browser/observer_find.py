"""Finds: the best matches over all frames, or the lines that a pattern matches.

Pure but for the numbering of refs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from browser_agent.browser.observer_frames import coverage_of, shown_frames
from browser_agent.browser.observer_types import Found, Match, ObserverError
from browser_agent.browser.searching import compile_pattern
from browser_agent.logic.snapshot import number_refs

if TYPE_CHECKING:
    from browser_agent.browser.observer_build import Numbering
    from browser_agent.browser.observer_frames import Tree
    from browser_agent.browser.observer_types import Observation

_LINE = re.compile(r"(?:#+ )?(?:(e[0-9]+) )?([a-z-]+)?")
_NAME = re.compile(r'~?"(.*)"')
_IN_ROW = re.compile(r"(?:^|[|\s])(e[0-9]+) ([a-z]+)")


def merge(tree: Tree, numbering: Numbering, *, limit: int) -> Found:
    """Matches of all visible frames: best first, then in page order."""
    ranked: list[tuple[int, int, Match]] = []
    total = 0
    for place, seen in enumerate(shown_frames(tree.top)):
        if seen.answer is None:
            continue
        number = numbering(seen)
        total += seen.answer.number("total")
        rows = cast("list[tuple[int, str, str, str]]", seen.answer.list("matches"))
        ranks = cast("list[int]", seen.answer.list("ranks"))
        for rank, (local, role, name, line) in zip(ranks, rows, strict=True):
            match = Match(
                ref=number(local) if local else None,
                role=role,
                name=name,
                line=re.sub("\x01[0-9]+ ?", "", number_refs(line, number)),
            )
            ranked.append((rank, place, match))
    ranked.sort(key=lambda one: one[:2])
    matches = tuple(match for _, _, match in ranked[:limit])
    return Found(matches=matches, total=total, coverage=coverage_of(tree))


def by_pattern(view: Observation, pattern: str, *, role: str | None, limit: int) -> Found:
    """Lines of a full snapshot that an RE2 pattern matches. ObserverError when it is no pattern."""
    matches = _matcher(pattern)
    found = [_match_of(line.strip()) for line in view.text.split("\n") if matches(line)]
    if role is not None:
        found = [match for match in found if match.role == role]
    return Found(matches=tuple(found[:limit]), total=len(found), coverage=view.coverage)


def _matcher(pattern: str) -> Callable[[str], bool]:
    try:
        return compile_pattern(pattern)
    except ValueError:
        raise ObserverError("invalid_input", "The pattern cannot be read.") from None


def _match_of(line: str) -> Match:
    if line.startswith("|"):
        inside = _IN_ROW.search(line)
        ref = inside.group(1) if inside else None
        return Match(ref=ref, role="row", name=line.lstrip("|= ")[:300], line=line[:400])
    if line.startswith('"'):
        return Match(ref=None, role="text", name=line.strip('"')[:300], line=line[:400])
    head = _LINE.match(line)
    ref, role = (head.group(1), head.group(2) or "text") if head else (None, "text")
    if line.startswith("#") and ref is None:
        return Match(ref=None, role="heading", name=line.lstrip("# ")[:300], line=line[:400])
    name = _NAME.search(line)
    return Match(ref=ref, role=role, name=name.group(1)[:300] if name else "", line=line[:400])
