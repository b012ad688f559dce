"""Spans of bytes that must not leave, and what is written in their place.

Owns the span record, merging and replacing. Finds nothing itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACEHOLDER: Final = re.compile(rb"\[REDACTED:[A-Za-z0-9_.-]{1,64}\]")
_OPEN_PLACEHOLDER: Final = re.compile(rb"\[REDACTED:[A-Za-z0-9_.-]{1,64}\Z")


class Span(NamedTuple):
    """Half-open byte range of UTF-8 text and the kind of secret that stands there."""

    start: int
    end: int
    kind: str


Rule = Callable[[bytes, int, int, list[Span]], int]
"""``rule(data, start, end, found)`` looks around the trigger ``data[start:end]``, appends to
``found`` and gives the offset at which the scan goes on."""


def placeholder(kind: str) -> str:
    """What stands in place of a secret of ``kind``."""
    return f"[REDACTED:{kind}]"


def trim_end(value: bytes, signs: bytes) -> bytes:
    """``value`` without ``signs`` at its end; the bracket of a placeholder is no sign."""
    bare = value.rstrip(signs)
    if value[len(bare) :].startswith(b"]") and _OPEN_PLACEHOLDER.search(bare):
        return bare + b"]"
    return bare


def replace_spans(data: bytes, spans: Iterable[Span]) -> bytes:
    """``data`` with every span replaced; overlapping spans become one of the first one's kind.

    A placeholder that stands there already is never cut nor put inside another one.
    """
    if b"[REDACTED:" in data:
        spans = _around_placeholders(data, spans)
    pieces: list[bytes] = []
    at = 0
    for span in merge_spans(spans):
        pieces += (data[at : span.start], placeholder(span.kind).encode())
        at = span.end
    pieces.append(data[at:])
    return b"".join(pieces)


def _around_placeholders(data: bytes, spans: Iterable[Span]) -> list[Span]:
    kept = [one.span() for one in PLACEHOLDER.finditer(data)]
    starts = [start for start, _ in kept]
    safe: list[Span] = []
    for span in spans:
        start, end = span.start, span.end
        first = bisect_right(starts, start) - 1
        if first >= 0 and start < kept[first][1]:
            if end <= kept[first][1]:
                continue
            start = kept[first][0]
        last = bisect_right(starts, end - 1) - 1
        if last >= 0 and end < kept[last][1]:
            end = kept[last][1]
        safe.append(Span(start, end, span.kind))
    return safe


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Sorted, disjoint, non-empty spans that cover the same bytes."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if span.end <= span.start:
            continue
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


_ESCAPED: Final = re.compile(
    rb"(?:%[0-9A-Fa-f]{2}|\\[nrtbf]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})\Z"
)


def begins_word(data: bytes, at: int) -> bool:
    """No letter or digit stands before ``at``, those of an escape (percent, backslash) apart."""
    before = data[at - 1 : at] if at else b""
    if not before.isalnum():
        return True
    return _ESCAPED.search(data, max(0, at - 8), at) is not None
