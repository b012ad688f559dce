"""Captures of a session: whole redacted texts that Results show in parts, behind cursors.

Owns the bounded store. What it holds is redacted and escaped already; it reads no page.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from browser_agent._text import cut_lines
from browser_agent.records.ids import new_cursor

MAX_CAPTURES = 32
MAX_BYTES = 33_554_432

Extras = Callable[[str], Mapping[str, object]]
"""From the part that is shown to further keys of ``data`` (refs in it, their attributes)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One whole text and what every Result over it repeats.

    ``data`` holds the other keys, clean; ``key`` names the one that shows the text,
    ``shown_bytes`` bounds a part where it is not the session's ``snapshot_bytes``.
    """

    text: str
    key: str
    mode: str
    digest: str
    total_bytes: int
    shown_bytes: int | None
    data: Mapping[str, object]
    extras: Extras | None
    locator: Mapping[str, object]
    coverage: Mapping[str, object]
    final_url: str | None
    captured_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one Result shows of a capture: the text and where the next part begins (None: end)."""

    text: str
    next: int | None


def part_of(capture: Capture, offset: int, limit_bytes: int) -> Part:
    """Cut between lines and graphemes; a part is never empty while text is left."""
    rest = capture.text[offset:] if offset else capture.text
    shown = cut_lines(rest, limit_bytes) or rest[:1]
    end = offset + len(shown)
    if end >= len(capture.text):
        return Part(text=shown, next=None)
    return Part(text=shown.removesuffix("\n"), next=end)


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """A place in a capture: what a cursor stands for."""

    capture: Capture
    offset: int


@dataclass(slots=True)
class CaptureStore:
    """Least recently used captures and the cursors into them. Cursors stay valid when used."""

    _captures: OrderedDict[int, Capture] = field(default_factory=OrderedDict[int, Capture])
    _cursors: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    _places: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    _bytes: int = 0

    def keep(self, capture: Capture, offset: int) -> str:
        """Store a capture (again) and give the cursor to ``offset`` in it."""
        name = id(capture)
        if name not in self._captures:
            self._captures[name] = capture
            self._bytes += capture.total_bytes
        self._captures.move_to_end(name)
        self._evict()
        place = (name, offset)
        if place not in self._places:
            self._places[place] = new_cursor()
            self._cursors[self._places[place]] = place
        return self._places[place]

    def find(self, cursor: str) -> Continued | None:
        """The place of a cursor, or None when it is unknown or its capture was evicted."""
        place = self._cursors.get(cursor)
        if place is None:
            return None
        name, offset = place
        self._captures.move_to_end(name)
        return Continued(capture=self._captures[name], offset=offset)

    def _evict(self) -> None:
        while len(self._captures) > 1 and (
            len(self._captures) > MAX_CAPTURES or self._bytes > MAX_BYTES
        ):
            name, old = self._captures.popitem(last=False)
            self._bytes -= old.total_bytes
            for place in [place for place in self._places if place[0] == name]:
                del self._cursors[self._places.pop(place)]

    def clear(self) -> None:
        """Drop everything."""
        self._captures.clear()
        self._cursors.clear()
        self._places.clear()
        self._bytes = 0
