"""Patterns over bytes that run in linear time, whatever the text is.

Owns the only contact with RE2; everything else sees :class:`LinearPattern`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

import re2

_MAX_MEMORY: Final = 64 << 20  # of an automaton's cache; it grows only as far as a text needs
_NOWHERE: Final = (-1, -1)


class Hit(NamedTuple):
    """A match: its bytes, and the alternative that matched (0 for the first)."""

    start: int
    end: int
    choice: int


_Spans = Sequence[tuple[int, int]]


class LinearPattern:
    """One pattern, or several of which each hit names the one that matched."""

    __slots__ = ("_spans_from",)

    def __init__(self, choices: Sequence[bytes]) -> None:
        library: Any = re2
        options = library.Options()
        options.encoding = library.Options.Encoding.LATIN1
        options.max_mem = _MAX_MEMORY
        options.log_errors = False
        source = choices[0] if len(choices) == 1 else b"|".join(b"(%s)" % one for one in choices)
        self._spans_from = _finder(library.compile(source, options), library)

    def search(self, data: bytes, at: int = 0) -> Hit | None:
        """First hit at or after ``at``."""
        spans = self._spans_from(data, at)
        start, end = spans[0]
        if start < 0:
            return None
        choice = 0
        if len(spans) > 1:
            choice = next(place for place, span in enumerate(spans[1:]) if span[0] >= 0)
        return Hit(start, end, choice)

    def hits(self, data: bytes) -> Iterator[Hit]:
        """All hits, left to right, not overlapping; patterns do not match the empty string."""
        hit = self.search(data)
        while hit is not None:
            yield hit
            hit = self.search(data, hit.end)


def _finder(compiled: Any, library: Any) -> Callable[[bytes, int], _Spans]:
    """Spans of the next match and its groups.

    The extension's own method costs a third of the wrapper's ``search``, which builds a generator
    and a match object at every call; without it (another build of RE2) the wrapper serves.
    """
    native = getattr(getattr(compiled, "_regexp", None), "Match", None)
    anchor = getattr(getattr(library, "_Anchor", None), "UNANCHORED", None)
    if native is None or anchor is None:
        return lambda data, at: _by_wrapper(compiled.search(data, at), compiled.groups)
    return lambda data, at: cast("_Spans", native(anchor, data, at, len(data)))


def _by_wrapper(match: Any, groups: int) -> _Spans:
    if match is None:
        return (_NOWHERE,)
    return [match.span(group) for group in range(groups + 1)]
