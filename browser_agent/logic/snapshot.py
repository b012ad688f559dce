r"""Snapshot text as text: putting frames in their place, and refs in the place of numbers.

Pure. The grammar is in docs/snapshot.md; lines are made in the page, this module joins them.
A part's body holds two marks that no page text can contain: ``\x01N`` where the content of the
frame element N belongs, and ``\x02N`` for the ref of element N (numbers of its document).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_FRAME_LINE = re.compile("^( *)\x01([0-9]+)(.*)$", re.MULTILINE)
_REF_MARK = re.compile("\x02([0-9]+)")
_DEEPEST = 12
NOT_SEEN = " (not inspected)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePart:
    """The body of one frame's answer, how its refs are numbered, and the frames inside it.

    ``number`` gives the ref of the session for a number of the document. ``inner`` maps the number
    of a frame element to its part; a frame without part was not inspected.
    """

    body: str
    number: Callable[[int], str]
    inner: Mapping[int, FramePart] = field(default_factory=dict[int, "FramePart"])


def stitch(part: FramePart, *, indented: bool = True) -> str:
    """One text of a page's parts, in the order of the page, refs written out.

    ``indented``: content of a frame stands one deeper than its line (snapshots); otherwise it
    takes the place of the line.
    """
    return _stitched(part, 0, indented, 0)


def _stitched(part: FramePart, indent: int, indented: bool, depth: int) -> str:
    body = number_refs(part.body, part.number)
    if indent:
        pad = " " * indent
        body = pad + body.replace("\n", "\n" + pad) if body else ""
    if "\x01" not in body:
        return body

    def put(found: re.Match[str]) -> str:
        return _frame_lines(part, found, indented, depth)

    return _FRAME_LINE.sub(put, body)


def _frame_lines(part: FramePart, found: re.Match[str], indented: bool, depth: int) -> str:
    pad, place, words = found.group(1), int(found.group(2)), found.group(3).lstrip()
    inner = part.inner.get(place) if depth < _DEEPEST else None
    if not indented:
        return _stitched(inner, 0, indented, depth + 1) if inner else ""
    line = pad + words
    if inner is None:
        return line + NOT_SEEN
    content = _stitched(inner, len(pad) + 1, indented, depth + 1)
    return f"{line}\n{content}" if content else line


def number_refs(text: str, number: Callable[[int], str]) -> str:
    """Write the session's refs in place of a document's own numbers."""
    if "\x02" not in text:
        return text
    return _REF_MARK.sub(lambda found: number(int(found.group(1))), text)
