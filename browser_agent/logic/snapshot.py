r"""Snapshot text as text: putting frames in their place, and refs in the place of numbers.

Pure. The grammar is in docs/snapshot.md; lines are made in the page, this module joins them.
A part's body holds two marks that no page text can contain: ``\x01N`` where the content of the
frame element N belongs, and ``\x02N`` for the ref of element N (numbers of its document).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

_FRAME_LINE = re.compile("^( *)\x01([0-9]+)(.*)$", re.MULTILINE)
_REF_MARK = re.compile("\x02([0-9]+)")
_FRAME_WORDS = re.compile(r"(?i)\[(?=\s*(?:end\s+of\s+)?frame)")
_DEEPEST = 12
NOT_SEEN = " (not inspected)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePart:
    """The body of one frame's answer, how its refs are numbered, and the frames inside it.

    ``number`` gives the ref of the session for a number of the document. ``inner`` maps the number
    of a frame element to its part; a frame without part was not inspected. ``origin`` names whose
    words these are, where that is not who made the page around them.
    """

    body: str
    number: Callable[[int], str]
    inner: Mapping[int, FramePart] = field(default_factory=dict[int, "FramePart"])
    origin: str = ""


Kind = Literal["snapshot", "text", "html"]


def stitch(part: FramePart, kind: Kind = "snapshot") -> str:
    """One text of a page's parts, in the order of the page, refs written out.

    In a snapshot the content of a frame stands one deeper than its line; in text and HTML it takes
    the place of the line, between two lines of its own where it is of another origin.
    """
    return _stitched(part, 0, kind, 0)


def _stitched(part: FramePart, indent: int, kind: Kind, depth: int) -> str:
    body = number_refs(part.body, part.number)
    if depth and kind != "snapshot":
        body = _FRAME_WORDS.sub("⟨U+005B⟩", body)
    if indent:
        pad = " " * indent
        body = pad + body.replace("\n", "\n" + pad) if body else ""
    if "\x01" not in body:
        return body

    def put(found: re.Match[str]) -> str:
        return _frame_lines(part, found, kind, depth)

    return _FRAME_LINE.sub(put, body)


def _frame_lines(part: FramePart, found: re.Match[str], kind: Kind, depth: int) -> str:
    pad, place, words = found.group(1), int(found.group(2)), found.group(3).lstrip()
    inner = part.inner.get(place) if depth < _DEEPEST else None
    if kind != "snapshot":
        return _set_apart(inner, _stitched(inner, 0, kind, depth + 1), kind) if inner else ""
    line = pad + words
    if inner is None:
        return line + NOT_SEEN
    line += f" from {inner.origin}" if inner.origin else ""
    content = _stitched(inner, len(pad) + 1, kind, depth + 1)
    return f"{line}\n{content}" if content else line


def _set_apart(part: FramePart, content: str, kind: Kind) -> str:
    """Words of another origin between two lines, which no frame can write itself."""
    if not part.origin or not content.strip():
        return content
    first, last = f"[frame from {part.origin}]", "[end of frame]"
    if kind == "html":
        return f"<p>{first}</p>{content}<p>{last}</p>"
    return f"{first}\n{content}\n{last}"


def number_refs(text: str, number: Callable[[int], str]) -> str:
    """Write the session's refs in place of a document's own numbers."""
    if "\x02" not in text:
        return text
    return _REF_MARK.sub(lambda found: number(int(found.group(1))), text)
