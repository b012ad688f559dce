"""Patterns over bytes that run in linear time, whatever the text is.

Owns the only contact with RE2; everything else sees :class:`LinearPattern`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol, cast

import re2

_MAX_MEMORY: Final = 64 << 20  # of an automaton's cache; it grows only as far as a text needs


class Hit(NamedTuple):
    """A match: its bytes, and the alternative that matched (0 for the first)."""

    start: int
    end: int
    choice: int


class _Match(Protocol):
    @property
    def lastindex(self) -> int | None: ...

    def span(self) -> tuple[int, int]: ...


_Search = Callable[[bytes, int], _Match | None]


class LinearPattern:
    """One pattern, or several of which each hit names the one that matched."""

    __slots__ = ("_choices", "_finditer", "_search")

    def __init__(self, choices: Sequence[bytes]) -> None:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1  # pyright: ignore[reportUnknownMemberType] - untyped library
        options.max_mem = _MAX_MEMORY
        options.log_errors = False
        source = choices[0] if len(choices) == 1 else b"|".join(b"(%s)" % one for one in choices)
        compiled = re2.compile(source, options)  # pyright: ignore[reportUnknownMemberType] - untyped library
        self._choices = len(choices)
        self._search = cast("_Search", compiled.search)  # pyright: ignore[reportUnknownMemberType] - untyped library
        self._finditer = cast("Callable[[bytes], Iterator[_Match]]", compiled.finditer)  # pyright: ignore[reportUnknownMemberType] - untyped library

    def search(self, data: bytes, at: int = 0) -> Hit | None:
        """First hit at or after ``at``."""
        match = self._search(data, at)
        return self._hit(match) if match is not None else None

    def hits(self, data: bytes) -> Iterator[Hit]:
        """All hits, left to right, not overlapping."""
        return map(self._hit, self._finditer(data))

    def _hit(self, match: _Match) -> Hit:
        start, end = match.span()
        return Hit(start, end, (match.lastindex or 1) - 1 if self._choices > 1 else 0)
