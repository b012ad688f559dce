"""The place where a telling name stands, and the ends of the values near it.

Owns the shared vocabulary of :mod:`redact_pairs` and :mod:`redact_markup`: quotes in every
spelling, runs of bytes that are judged by a bounded beginning and masked to their end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from browser_agent.logic.redact_judge import Syntax, is_secret_value
from browser_agent.logic.redact_names import Name
from browser_agent.logic.redact_spans import Span, trim_end

QUOTE: Final = (
    rb"(?:\\{0,4}[\"'`]|&quot;|&apos;|&\#0{0,3}3[49];|&\#[xX]0{0,2}2[27];"
    rb"|%(?:25){0,2}2[27]|\\{1,4}u002[27]|\xe2\x80[\x98-\x9f]|\xc2\xab)"
)
_CLOSING: Final = {b"\xe2\x80\x9c": b"\xe2\x80\x9d", b"\xe2\x80\x98": b"\xe2\x80\x99",
                   b"\xe2\x80\x9e": b"\xe2\x80\x9c", b"\xc2\xab": b"\xc2\xbb"}  # fmt: skip
_MAX_FOREIGN_QUOTED: Final = 16_384
_TRAILING: Final = b",;.:!?)]}*"


@dataclass(frozen=True, slots=True)
class Place:
    """A telling name, ``data[start:end]``."""

    data: bytes
    start: int
    end: int
    name: Name

    @property
    def before(self) -> bytes:
        """A few bytes to its left."""
        return self.data[max(0, self.start - 24) : self.start]

    def mask(self, start: int, end: int, found: list[Span]) -> int:
        """Mark ``data[start:end]`` as the name's secret; gives ``end``."""
        found.append(Span(start, end, self.name.kind))
        return end


class Run:
    """Bytes of one class: judged by a bounded beginning, masked to their end."""

    __slots__ = ("_head", "_whole")

    def __init__(self, one: bytes) -> None:
        self._head = re.compile(one + rb"{0,160}+", re.DOTALL)
        self._whole = re.compile(one + rb"*+", re.DOTALL)

    def head(self, data: bytes, at: int) -> int:
        """End of what is judged."""
        return self._end(self._head, data, at)

    def whole(self, data: bytes, at: int) -> int:
        """End of what is masked."""
        return self._end(self._whole, data, at)

    @staticmethod
    def _end(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
        match = pattern.match(data, at)
        return match.end() if match is not None else at


_TO_QUOTE: Final = {
    b'"': Run(rb'(?:[^"\\\r\n]|\\.)'),
    b"'": Run(rb"(?:[^'\\\r\n]|\\.)"),
    b"`": Run(rb"[^`\r\n]"),
}
_TO_LINE_END: Final = Run(rb"[^\r\n]")
QUERY_VALUE: Final = Run(rb"[^\s&\"'<>#`\\^{}|]")
ASSIGNED_VALUE: Final = Run(rb"[^\s;&,\"'<>`|]")
BARE_VALUE: Final = Run(rb"[^\s\"'<>`]")
OBJECT_VALUE: Final = Run(rb"[^\s\"'<>`,}\]]")
_ENCODED_STOPS: Final = tuple(
    re.compile(
        rb"%" + rb"(?:25)?" * depth + rb"(?:26|23|22|27|7[dD]|5[dD]|2[cC]|0[aAdD]|20|3[cCeE])"
    )
    for depth in range(3)
)


def closing_of(opened: bytes | None) -> bytes:
    """The quote that ends what ``opened`` began; empty without one."""
    return _CLOSING.get(opened or b"", opened or b"")


def mask_quoted(place: Place, at: int, opened: bytes, *, syntax: Syntax, found: list[Span]) -> int:
    """Mask the quoted value that begins at ``at``; gives its end, or 0 when it is no secret."""
    run = _TO_QUOTE.get(opened)
    if run is None:
        end = place.data.find(closing_of(opened), at, at + _MAX_FOREIGN_QUOTED)
        end = end if end >= 0 else _TO_LINE_END.head(place.data, at)
        value = place.data[at:end]
    else:
        end = 0
        value = place.data[at : run.head(place.data, at)]
    if not is_secret_value(value, place.name.level, syntax):
        return 0
    return place.mask(at, end or (run.whole(place.data, at) if run else at), found)


def mask_bare(
    place: Place, at: int, run: Run, *, syntax: Syntax, found: list[Span], separator: bytes = b""
) -> int:
    """Mask the unquoted value that begins at ``at``; gives its end, or 0 when it is no secret.

    A percent-encoded ``separator`` makes percent-encoded delimiters count as the value's end.
    """
    value = place.data[at : _value_end(place.data, at, run.head(place.data, at), separator)]
    if not is_secret_value(value, place.name.level, syntax):
        return 0
    end = _value_end(place.data, at, run.whole(place.data, at), separator)
    return place.mask(at, end, found)


def _value_end(data: bytes, at: int, end: int, separator: bytes) -> int:
    if separator.startswith(b"%"):
        depth = min(2, separator.count(b"25"))
        stop = _ENCODED_STOPS[depth].search(data, at, end)
        end = stop.start() if stop is not None else end
    if data[at : at + 2] in {b"${", b"{{", b"$("} or data[at : at + 1] in {b"[", b"{"}:
        return end
    return at + len(trim_end(data[at:end], _TRAILING))
